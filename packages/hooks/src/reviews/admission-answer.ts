import { type Allowed, allow, type Denied, deny } from 'chancery';
import {
  allowPatched,
  JSON_LIMITS,
  type JsonPatchOperation,
  type Mapping,
  readJsonValue,
  runInSlices,
} from 'chancery/internal';
import { checkJsonPatch } from '../patches/check-json-patch.ts';
import { badAnswer, responseIn } from './response-file.ts';

/**
 * The answer in the file `ADMISSION_RESPONSE_PATH`: `{allowed, message?, warnings?, patch?}`.
 * `patch` is a JSON patch in base64.
 *
 * @param of - the hook, and the type of the binding: only a mutating hook may change the object.
 * @throws HookError when the file does not contain a valid answer.
 */
export async function admissionAnswer(
  text: string,
  of: { readonly hook: string; readonly type: 'validating' | 'mutating' },
  signal: AbortSignal,
): Promise<Allowed | Denied> {
  const { hook, type } = of;
  const answer = await responseIn(text, { file: 'ADMISSION_RESPONSE_PATH', hook, signal });
  const { allowed } = answer;
  if (typeof allowed !== 'boolean') throw badAnswer(hook, 'allowed must be true or false');
  const warnings = warningsIn(answer, hook);
  const message = textIn(answer, 'message', hook);
  const patch = textIn(answer, 'patch', hook);
  if (!allowed) return deny(message, { warnings });
  if (patch === '') return allow({ warnings });
  if (type === 'mutating') {
    return allowPatched(await operationsIn(patch, hook, signal), { warnings });
  }
  throw badAnswer(hook, 'a binding of kubernetesValidating may have no patch');
}

/** The string in a field. Empty if the field is missing or null, as in Go. */
function textIn(answer: Mapping, name: 'message' | 'patch', hook: string): string {
  const value = answer[name] ?? '';
  if (typeof value === 'string') return value;
  throw badAnswer(hook, `${name} must be a string`);
}

function warningsIn({ warnings }: Mapping, hook: string): readonly string[] {
  const list: unknown = warnings ?? [];
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw badAnswer(hook, 'warnings must be a list of texts');
}

/**
 * Matches base64 without line breaks. The program `base64` inserts line breaks, so the caller
 * removes them first.
 */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

async function operationsIn(
  patch: string,
  hook: string,
  signal: AbortSignal,
): Promise<readonly JsonPatchOperation[]> {
  const encoded = patch.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(encoded)) throw badAnswer(hook, 'patch must be a JSON patch in base64');
  let operations: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
    operations = (await runInSlices(readJsonValue(text, JSON_LIMITS), signal)).value;
  } catch (error) {
    signal.throwIfAborted();
    throw badAnswer(
      hook,
      'patch must be a JSON patch in base64, and what it encodes is no JSON',
      error,
    );
  }
  const problem = checkJsonPatch(operations);
  if (problem !== undefined) throw badAnswer(hook, `patch is no JSON patch: ${problem}`);
  return operations as readonly JsonPatchOperation[];
}
