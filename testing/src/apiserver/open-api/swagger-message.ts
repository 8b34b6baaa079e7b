import { jsonText } from '../objects/json-text.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import { WireWriter } from '../protobuf/wire-writer.ts';

/** Writes the value of one field of a message. */
type Write = (writer: WireWriter, number: number, value: unknown) => void;

/**
 * The fields of a protobuf message, keyed by their JSON names. Each value contains the number of the field,
 * and the function that writes it.
 */
interface Message {
  readonly fields: Readonly<Record<string, readonly [number, Write]>>;
  /** The number of the field with the extensions. The names of extensions begin with `x-`. */
  readonly extensions?: number;
}

const text: Write = (writer, number, value) => writer.text(number, String(value));
const bool: Write = (writer, number, value) => writer.bool(number, value === true);
const int: Write = (writer, number, value) => {
  writer.int(number, typeof value === 'bigint' ? value : Math.trunc(Number(value)));
};
const double: Write = (writer, number, value) => writer.double(number, Number(value));

/**
 * Writes any value as a separate message that contains YAML. The value is written as JSON, because JSON is
 * also YAML.
 */
const any: Write = (writer, number, value) => {
  const message = new WireWriter();
  message.text(2, jsonText(value));
  writer.bytes(number, message.done());
};

function each(write: Write): Write {
  return (writer, number, value) => {
    for (const item of Array.isArray(value) ? value : []) write(writer, number, item);
  };
}

/** Writes a list of strings. Empty items are kept. */
const texts: Write = each((writer, number, value) =>
  writer.bytes(number, Buffer.from(String(value), 'utf8')),
);

/**
 * Writes a nested message.
 * @param message - returns the description of the nested message. It is a function, so that the message of a
 * schema can contain itself.
 */
function nested(message: () => Message): Write {
  return (writer, number, value) => {
    if (isObject(value)) writer.bytes(number, encode(message(), value));
  };
}

/** Writes a message that has only the field `inner`. */
function wrapped(inner: number, write: Write): Write {
  return (writer, number, value) => {
    const message = new WireWriter();
    write(message, inner, value);
    writer.bytes(number, message.done());
  };
}

/** Writes the entries of an object as messages, with the name as field 1 and the value as field 2. */
function entries(write: Write): Write {
  return (writer, number, value) => {
    if (!isObject(value)) return;
    for (const [name, one] of Object.entries(value)) {
      const entry = new WireWriter();
      entry.text(1, name);
      write(entry, 2, one);
      writer.bytes(number, entry.done());
    }
  };
}

const schema: Write = nested(() => SCHEMA);

/** Writes a single type or a list of types. */
const types: Write = (writer, number, value) =>
  wrapped(1, texts)(writer, number, Array.isArray(value) ? value : [value]);

const items: Write = (writer, number, value) =>
  wrapped(1, each(schema))(writer, number, Array.isArray(value) ? value : [value]);

const additionalProperties: Write = (writer, number, value) => {
  if (isObject(value)) wrapped(1, schema)(writer, number, value);
  else wrapped(2, bool)(writer, number, value);
};

const SCHEMA: Message = {
  fields: {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, bool],
    minimum: [9, double],
    exclusiveMinimum: [10, bool],
    maxLength: [11, int],
    minLength: [12, int],
    pattern: [13, text],
    maxItems: [14, int],
    minItems: [15, int],
    uniqueItems: [16, bool],
    maxProperties: [17, int],
    minProperties: [18, int],
    required: [19, texts],
    enum: [20, each(any)],
    additionalProperties: [21, additionalProperties],
    type: [22, types],
    items: [23, items],
    properties: [25, wrapped(1, entries(schema))],
    externalDocs: [29, nested(() => EXTERNAL_DOCS)],
    example: [30, any],
  },
  extensions: 31,
};

const EXTERNAL_DOCS: Message = { fields: { description: [1, text], url: [2, text] } };

const BODY: Message = {
  fields: { name: [2, text], in: [3, text], required: [4, bool], schema: [5, schema] },
};

const IN_PATH: Message = {
  fields: {
    required: [1, bool],
    in: [2, text],
    name: [4, text],
    type: [5, text],
    uniqueItems: [18, bool],
  },
};

const IN_QUERY: Message = {
  fields: {
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [6, text],
    uniqueItems: [20, bool],
  },
};

const inBody: Write = wrapped(
  1,
  nested(() => BODY),
);
const inQuery: Write = wrapped(
  2,
  wrapped(
    3,
    nested(() => IN_QUERY),
  ),
);
const inPath: Write = wrapped(
  2,
  wrapped(
    4,
    nested(() => IN_PATH),
  ),
);

/**
 * Writes a parameter. The location of the parameter decides the type of its message. The message is nested in
 * two or three other messages.
 */
const parameter: Write = (writer, number, value) => {
  const place = isObject(value) ? value.in : undefined;
  const one = place === 'body' ? inBody : place === 'path' ? inPath : inQuery;
  wrapped(1, one)(writer, number, value);
};

const RESPONSE: Message = { fields: { description: [1, text], schema: [2, wrapped(1, schema)] } };

const response: Write = wrapped(
  1,
  nested(() => RESPONSE),
);

const OPERATION: Message = {
  fields: {
    produces: [6, texts],
    consumes: [7, texts],
    parameters: [8, each(parameter)],
    responses: [9, wrapped(1, entries(response))],
  },
  extensions: 13,
};

const operation: Write = nested(() => OPERATION);

const PATH_ITEM: Message = {
  fields: {
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    patch: [8, operation],
    parameters: [9, each(parameter)],
  },
};

const INFO: Message = { fields: { title: [1, text], version: [2, text] } };

const DOCUMENT: Message = {
  fields: {
    swagger: [1, text],
    info: [2, nested(() => INFO)],
    paths: [8, wrapped(2, entries(nested(() => PATH_ITEM)))],
    definitions: [9, wrapped(1, entries(schema))],
  },
};

/**
 * Encodes a document of OpenAPI v2 for kubectl, as the message `openapi.v2.Document` of gnostic-models.
 * Supports everything that `swagger.ts` writes, and every keyword of schemas.
 */
export function swaggerMessage(document: Json): Buffer {
  return encode(DOCUMENT, document);
}

function encode({ fields, extensions }: Message, value: Json): Buffer {
  const writer = new WireWriter();
  const others: [string, unknown][] = [];
  for (const [name, one] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined) field[1](writer, field[0], one);
    else if (name.startsWith('x-')) others.push([name, one]);
  }
  if (extensions !== undefined) entries(any)(writer, extensions, Object.fromEntries(others));
  return writer.done();
}
