import { builtInType, elementType } from '../../../src/apiserver/built-in-types/built-in-types.ts';

type Json = Readonly<Record<string, unknown>>;

/** A varint, as protobuf writes numbers; negative ones in ten bytes. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  bytes.push(Number(left));
  return Buffer.from(bytes);
}

/** A field whose value is a text or a message. */
export function bytesField(number: number, content: Buffer | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

export function varintField(number: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

/** An object as a client sends it: the envelope around the message of its type. */
export function protobufBody(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const typeMeta = Buffer.concat([bytesField(1, apiVersion), bytesField(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0'), bytesField(1, typeMeta), bytesField(2, raw)]);
}

/** JSON as the message of a built-in type, packed or unpacked. */
export function protobufMessage(value: Json, typeName: string, packed = false): Buffer {
  const parts = Object.entries(builtInType(typeName)?.fields ?? {}).flatMap(([name, field]) => {
    const own = value[name];
    if (own === undefined || own === null || field.number === undefined) return [];
    const bytes = fieldBytes(field.number, own, field.type, packed);
    const around = (field.within ?? []).toReversed();
    return [around.reduce<Buffer>((inner, number) => bytesField(number, inner), bytes)];
  });
  return Buffer.concat(parts);
}

function fieldBytes(number: number, value: unknown, type: string, packed: boolean): Buffer {
  const element = elementType(type);
  if (element === undefined) return one(number, value, type, packed);
  if (type.startsWith('map:')) {
    const entries = Object.entries(value as Json).map(([key, item]) => {
      const content =
        element === '[]string'
          ? bytesField(2, fieldBytes(1, item, '[]string', packed))
          : one(2, item, element, packed);
      return bytesField(number, Buffer.concat([bytesField(1, key), content]));
    });
    return Buffer.concat(entries);
  }
  const items = value as readonly unknown[];
  if (packed && /^(bool|int32|int64)$/.test(element)) {
    return bytesField(number, Buffer.concat(items.map((item) => varint(Number(item)))));
  }
  return Buffer.concat(items.map((item) => one(number, item, element, packed)));
}

function one(number: number, value: unknown, type: string, packed: boolean): Buffer {
  if (type.startsWith('#')) {
    return bytesField(number, protobufMessage(value as Json, type, packed));
  }
  switch (type) {
    case 'bool':
    case 'int32':
    case 'int64':
      return varintField(number, Number(value));
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return Buffer.concat([varint((number << 3) | 1), bytes]);
    }
    case 'bytes':
      return bytesField(number, Buffer.from(String(value), 'base64'));
    case 'Quantity':
      return bytesField(number, bytesField(1, String(value)));
    case 'Time':
    case 'MicroTime':
      return bytesField(number, timestamp(String(value)));
    case 'IntOrString':
      return bytesField(
        number,
        typeof value === 'number'
          ? Buffer.concat([varintField(1, 0), varintField(2, value), bytesField(3, '')])
          : Buffer.concat([varintField(1, 1), varintField(2, 0), bytesField(3, String(value))]),
      );
    default:
      return bytesField(number, String(value));
  }
}

function timestamp(text: string): Buffer {
  const seconds = Date.parse(`${text.slice(0, 19)}Z`) / 1000;
  const micros = Number(/\.(\d{6})Z$/.exec(text)?.[1] ?? 0);
  return Buffer.concat([varintField(1, seconds), varintField(2, micros * 1000)]);
}
