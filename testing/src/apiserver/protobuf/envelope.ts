import { bytesOf } from './well-known.ts';
import { WireError } from './wire-reader.ts';

/** The first bytes of every object in protobuf: `k8s` and a zero. */
const PREFIX = Buffer.from('k8s\0', 'latin1');

/** The envelope of an object (`runtime.Unknown`): its kind, and the bytes of the message with its fields. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

function isProtobuf(bytes: Buffer): boolean {
  return bytes.subarray(0, PREFIX.length).equals(PREFIX);
}

/** @throws WireError with the real server's message. */
export function openEnvelope(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new WireError('empty data');
  if (!isProtobuf(bytes)) {
    const prefix = `[${[...PREFIX].join(' ')}]`;
    const why = 'provided data does not appear to be a protobuf message';
    throw new WireError(`${why}, expected prefix ${prefix}`);
  }
  if (bytes.length === PREFIX.length) throw new WireError('empty body');
  const parts = bytesOf(bytes.subarray(PREFIX.length));
  const typeMeta = bytesOf(parts.get(1) ?? NOTHING);
  return {
    apiVersion: typeMeta.get(1)?.toString('utf8') ?? '',
    kind: typeMeta.get(2)?.toString('utf8') ?? '',
    raw: parts.get(2) ?? NOTHING,
  };
}

const NOTHING = Buffer.alloc(0);
