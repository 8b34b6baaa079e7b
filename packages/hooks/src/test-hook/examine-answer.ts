import type { Allowed, Denied, KubernetesObject } from 'chancery';
import { ConversionRefused, isMapping, type Mapping, patchOfHook } from 'chancery/internal';
import type { Hook } from '../hook.ts';
import { admissionAnswer } from '../reviews/admission-answer.ts';
import { conversionAnswer } from '../reviews/converted-by-hook.ts';

/**
 * Describes the answer of a hook to the review in `asked`, one line per fact. Empty for every other
 * context.
 *
 * @param responses - the contents of the files with the answers to an admission review and to a
 * conversion.
 * @throws HookError when the answer would be refused.
 */
export async function answerLines(
  asked: Mapping | undefined,
  responses: readonly string[],
  { hook: { name: hook }, signal }: { readonly hook: Hook; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const [admission = '', conversion = ''] = responses;
  switch (asked?.type) {
    case 'Validating':
      return decisionLines(await admissionAnswer(admission, { hook, type: 'validating' }, signal));
    case 'Mutating':
      return decisionLines(await admissionAnswer(admission, { hook, type: 'mutating' }, signal));
    case 'Conversion':
      return await conversionLines(asked, conversion, { hook, signal });
    default:
      return [];
  }
}

function decisionLines(decision: Allowed | Denied): readonly string[] {
  const warnings = decision.warnings.map((warning) => `answer: warning: ${warning}`);
  if (!decision.allowed) return [`answer: denied: ${decision.message}`, ...warnings];
  const changes = patchOfHook(decision).map(({ op, path }) => `answer: ${op} ${path}`);
  return ['answer: allowed', ...warnings, ...changes];
}

async function conversionLines(
  { review, toVersion }: Mapping,
  text: string,
  { hook, signal }: { readonly hook: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const request = isMapping(review) && isMapping(review.request) ? review.request : {};
  const objects = (request.objects ?? []) as readonly KubernetesObject[];
  const [group = ''] = (objects[0]?.apiVersion ?? '').split('/');
  const to = String(toVersion).replace(/^.*\//, '');
  try {
    const made = await conversionAnswer(text, objects, { hook, group, to }, signal);
    return [`answer: ${made.length} objects of ${group}/${to}`];
  } catch (error) {
    if (error instanceof ConversionRefused) return [`answer: failed: ${error.forClient}`];
    throw error;
  }
}
