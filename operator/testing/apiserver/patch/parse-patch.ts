import { messageOf } from '../../../core/errors.ts';
import { type GoJson, parseGoJson } from '../objects/go-json.ts';
import { malformedPatch } from './patch-error.ts';

/** The value of a patch in JSON. @throws ApiError 400 for what is no JSON. */
export function parsePatch(text: string): GoJson {
  try {
    return parseGoJson(text);
  } catch (error) {
    throw malformedPatch(`error decoding patch: ${messageOf(error)}`);
  }
}
