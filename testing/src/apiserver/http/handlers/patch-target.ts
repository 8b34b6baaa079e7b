import { runSteps } from '../../cluster/steps.ts';
import { type FieldError, invalidOptions } from '../../failures/invalid.ts';
import { methodNotAllowed } from '../../failures/request-failures.ts';
import { flag } from '../../objects/go-query.ts';
import { APPLY } from '../../patch/read-patch.ts';
import type { PatchOptions } from '../../request/options.ts';
import type { Target } from '../../verbs/target.ts';
import { patchObject, requirePatchType } from '../../verbs/writes/patch.ts';
import { mediaTypeOf, readBody } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { presentObject } from '../exchange/present.ts';
import { asAnswer, type Handling, send, writeOptions } from './handling.ts';

/** Answers a PATCH of an object or of its status. */
export async function patchTarget(
  handling: Handling,
  target: Target,
  subresource: string | undefined,
): Promise<void> {
  const { exchange, cluster, served } = handling;
  if (!served.verbs.includes('patch')) throw methodNotAllowed();
  const mediaType = patchTypeOf(exchange);
  requirePatchType(mediaType, served);
  const { text } = await readBody(exchange);
  const options = patchOptions(exchange, subresource);
  const { object, created } = await runSteps(
    patchObject(cluster, target, { mediaType, text }, options),
  );
  const answer = asAnswer(object, created && options.dryRun);
  send(handling, created ? 201 : 200, presentObject(answer, served, handling.view));
}

/** The media type of a patch, without parameters. The client must write it in lower case. */
export function patchTypeOf(exchange: Exchange): string {
  return (exchange.header('content-type') ?? '').split(';', 1)[0] ?? '';
}

/**
 * The options of a PATCH.
 * @throws ApiError 422 for an option that no patch can have, or that this kind of patch cannot have.
 */
export function patchOptions(exchange: Exchange, subresource: string | undefined): PatchOptions {
  const { query } = exchange;
  const fieldManager = query.get('fieldManager') ?? '';
  const problems: FieldError[] = [...managerProblems(fieldManager)];
  if (query.has('force') && mediaTypeOf(exchange) !== APPLY) {
    problems.unshift({
      field: 'force',
      reason: 'FieldValueForbidden',
      message: 'Forbidden: may not be specified for non-apply patch',
    });
  }
  if (problems.length > 0) throw invalidOptions('PatchOptions', problems);
  const force = flag(query, 'force');
  return { ...writeOptions(exchange, 'PatchOptions', subresource), force, fieldManager };
}

const MAX_MANAGER_BYTES = 128;

function* managerProblems(manager: string): Generator<FieldError, void, undefined> {
  if (Buffer.byteLength(manager) > MAX_MANAGER_BYTES) {
    const message = `Too long: may not be more than ${MAX_MANAGER_BYTES} bytes`;
    yield { field: 'fieldManager', reason: 'FieldValueTooLong', message };
  }
  for (const { 0: character, index } of manager.matchAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const at = Buffer.byteLength(manager.slice(0, index));
    const why = `invalid character U+${code} (at position ${at})`;
    const message = `Invalid value: ${JSON.stringify(manager)}: ${why}`;
    yield { field: 'fieldManager', reason: 'FieldValueInvalid', message };
  }
}
