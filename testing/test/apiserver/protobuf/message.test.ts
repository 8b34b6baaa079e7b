import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  builtInKindName,
  builtInKinds,
} from '../../../src/apiserver/built-in-types/built-in-types.ts';
import { encodeStruct } from '../../../src/apiserver/objects/struct-encoder.ts';
import { openEnvelope } from '../../../src/apiserver/protobuf/envelope.ts';
import { readMessage } from '../../../src/apiserver/protobuf/message.ts';
import { protobufAsJson } from '../../../src/apiserver/protobuf/protobuf-as-json.ts';
import { WireError, WireReader } from '../../../src/apiserver/protobuf/wire-reader.ts';
import { builtInValue } from '../support/built-in-values.ts';
import {
  bytesField,
  protobufBody,
  protobufMessage,
  varint,
  varintField,
} from '../support/protobuf-writer.ts';

function typeOf(apiVersion: string, kind: string): string {
  return builtInKindName(apiVersion, kind) ?? expect.unreachable(`no ${apiVersion} ${kind}`);
}

const KINDS = builtInKinds().map((name) => {
  const slash = name.lastIndexOf('/');
  return typeOf(name.slice(0, slash), name.slice(slash + 1));
});

const POD = typeOf('v1', 'Pod');
const CONFIG_MAP = typeOf('v1', 'ConfigMap');
const SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

describe('protobuf messages of built-in types', () => {
  test('a protobuf message of any kind decodes to the same object as JSON', () => {
    const samples = fc
      .constantFrom(...KINDS)
      .chain((type) =>
        fc.record({ type: fc.constant(type), value: builtInValue(type), packed: fc.boolean() }),
      );

    fc.assert(
      fc.property(samples, ({ type, value, packed }) => {
        const read = readMessage(protobufMessage(value, type, packed), type);

        expect(encodeStruct(read, type)).toEqual(encodeStruct(value, type));
      }),
    );
  });

  test('a protobuf message with empty strings decodes without the fields that JSON omits', () => {
    // As a client writes `kubectl create configmap`: every text that is no pointer, be it empty.
    const metadata = Buffer.concat([
      bytesField(1, 'a'),
      ...[2, 4, 5, 6].map((number) => bytesField(number, '')),
      varintField(7, 0),
      bytesField(8, ''),
    ]);
    const read = readMessage(bytesField(1, metadata), CONFIG_MAP);

    expect(encodeStruct(read, CONFIG_MAP)).toEqual({ metadata: { name: 'a' } });
  });

  test('an empty message in a pointer field is kept', () => {
    const emptyDir = bytesField(2, bytesField(2, ''));
    const volume = bytesField(1, Buffer.concat([bytesField(1, 'v'), emptyDir]));
    const read = readMessage(bytesField(2, volume), POD);

    expect(read).toEqual({ spec: { volumes: [{ name: 'v', emptyDir: {} }] } });
  });

  test('unknown field numbers and groups are skipped', () => {
    const group = Buffer.concat([varint((99 << 3) | 3), varintField(1, 7), varint((99 << 3) | 4)]);
    const strange = Buffer.concat([varintField(77, 1), bytesField(78, 'x'), group]);
    const data = bytesField(2, Buffer.concat([bytesField(1, 'k'), bytesField(2, 'v')]));

    expect(readMessage(Buffer.concat([strange, data]), CONFIG_MAP)).toEqual({ data: { k: 'v' } });
  });

  test('a field for a schema in protobuf may contain a schema, a boolean or JSON', () => {
    const type = bytesField(5, 'string');
    const read = readMessage(
      Buffer.concat([
        bytesField(30, Buffer.concat([varintField(1, 1), bytesField(2, type)])),
        bytesField(33, varintField(1, 1)),
        bytesField(8, bytesField(1, '{"a":[1]}')),
      ]),
      SCHEMA,
    );

    expect(read).toEqual({
      additionalProperties: { type: 'string' },
      additionalItems: true,
      default: { a: [1] },
    });
  });

  test.each([
    ['a string that ends early', Buffer.from([0x0a, 0x05, 0x61]), 'unexpected EOF'],
    ['a message that ends early', Buffer.from([0x0a, 0x04, 0x0a, 0x01, 0x61]), 'unexpected EOF'],
    ['an impossible length', Buffer.concat([varint(0x0a), varint(2n ** 63n)]), 'unexpected EOF'],
    [
      'a number in place of a message',
      varintField(1, 1),
      'proto: wrong wireType = 0 for field Metadata',
    ],
    ['the field number zero', Buffer.from([0x02, 0x00]), 'proto: illegal tag 0'],
    ['a number without an end', Buffer.alloc(20, 0xff), 'proto: integer overflow'],
    ['an unknown wire type', Buffer.from([(9 << 3) | 7]), 'proto: illegal wireType 7'],
    ['the end of a group without a beginning', Buffer.from([(9 << 3) | 4]), 'end group'],
  ])('a protobuf message with %s is refused', (_what, bytes, why) => {
    expect(() => readMessage(bytes, CONFIG_MAP)).toThrow(why);
  });

  test('protobuf messages that are nested too deep or have endless groups are refused', () => {
    let nested: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 2_000; depth++) nested = bytesField(28, nested);

    expect(() => readMessage(nested, SCHEMA)).toThrow('exceeded max depth');
    expect(() => readMessage(Buffer.alloc(1_000_000, (9 << 3) | 3), SCHEMA)).toThrow(WireError);
  });

  test('random bytes decode to a message or throw a WireError, for every kind', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.uint8Array({ maxLength: 60 }),
        builtInValue(POD),
        fc.nat(),
        (type, noise, pod, at) => {
          const broken = Buffer.from(protobufMessage(pod, POD));
          const cut = broken.length === 0 ? 0 : at % broken.length;
          for (const bytes of [Buffer.from(noise), broken.subarray(0, cut)]) {
            try {
              readMessage(bytes, type);
            } catch (error) {
              expect(error).toBeInstanceOf(WireError);
            }
          }
        },
      ),
    );
  });
});

describe('the protobuf envelope', () => {
  test('the protobuf envelope has apiVersion, kind and the message', () => {
    const raw = bytesField(1, bytesField(1, 'a'));
    const envelope = openEnvelope(protobufBody('v1', 'ConfigMap', raw));

    expect(envelope).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(envelope.raw.equals(raw)).toBe(true);
  });

  test.each([
    ['', 'empty data'],
    ['{"kind":"x"}', 'expected prefix [107 56 115 0]'],
    ['k8s\0', 'empty body'],
    ['k8s\0\u000a\u007f', 'unexpected EOF'],
  ])('the envelope %j is refused', (text, why) => {
    expect(() => openEnvelope(Buffer.from(text))).toThrow(why);
  });

  test('a WireReader reads only within its section of a buffer', () => {
    const whole = Buffer.concat([Buffer.from([1, 2, 3]), varint(300), Buffer.from([9])]);
    const reader = new WireReader(whole.subarray(3, 5));

    expect(reader.varint()).toBe(300n);
    expect(reader.done).toBe(true);
  });
});

describe('protobufAsJson', () => {
  test('protobufAsJson writes kind and fields, escaped as in Go', () => {
    const message = protobufMessage({ data: { k: '<&>' } }, CONFIG_MAP);
    const body = protobufBody('v1', 'ConfigMap', message);

    const text = protobufAsJson(body) ?? '';

    expect(JSON.parse(text)).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { k: '<&>' },
    });
    expect(text).toContain('\\u003c\\u0026\\u003e');
  });

  test('protobufAsJson returns nothing for bytes that are not protobuf, and for unknown kinds', () => {
    expect(protobufAsJson(Buffer.from('{}'))).toBeUndefined();
    expect(protobufAsJson(Buffer.alloc(0))).toBeUndefined();
    expect(protobufAsJson(protobufBody('v1', 'Unknown', Buffer.alloc(0)))).toBeUndefined();
  });
});
