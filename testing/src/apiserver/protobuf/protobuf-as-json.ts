import { builtInKindName } from '../built-in-types/built-in-types.ts';
import { goJson } from '../objects/canonical.ts';
import { encodeStruct } from '../objects/struct-encoder.ts';
import { openEnvelope } from './envelope.ts';
import { readMessage } from './message.ts';

/**
 * Converts an object in Kubernetes' protobuf (media type `application/vnd.kubernetes.protobuf`) to JSON. The
 * API server accepts both formats.
 *
 * @returns undefined for bytes that are not an object in protobuf, and for a kind that Kubernetes does not
 * have.
 */
export function protobufAsJson(bytes: Buffer): string | undefined {
  try {
    const { apiVersion, kind, raw } = openEnvelope(bytes);
    const typeName = builtInKindName(apiVersion, kind);
    if (typeName === undefined) return undefined;
    return goJson({ apiVersion, kind, ...encodeStruct(readMessage(raw, typeName), typeName) });
  } catch {
    return undefined;
  }
}
