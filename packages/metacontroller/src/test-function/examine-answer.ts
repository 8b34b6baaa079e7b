import {
  defineResource,
  type KubernetesObject,
  type Log,
  type Resource,
  type Selector,
  selectorFromObject,
} from 'chancery';
import {
  compileRule,
  type KnownKinds,
  type PlannedChild,
  planChildren,
  runInSlices,
} from 'chancery/internal';
import type { HookFunction } from '../hook-function.ts';
import { AnswerReader } from '../json/answer-reader.ts';
import type { AnswerValue } from '../json/answer-value.ts';
import {
  type CompositeAnswer,
  compositeAnswer,
  type DecorationAnswer,
  decorationAnswer,
  type SyncAnswerOptions,
} from '../json/children-answers.ts';
import { type NamedRule, relatedAnswer } from '../json/related-answer.ts';
import type { FunctionRequest } from './function-request.ts';

/** A valid answer of a sync or finalize hook, and the resulting plan for children. */
export interface ExaminedAnswer {
  readonly answer: CompositeAnswer | DecorationAnswer;
  readonly planned: readonly PlannedChild[];
}

/**
 * Reads and checks the answer of a sync or finalize hook, like the engine does before it writes.
 *
 * @throws OperatorError `USER_CODE` with the part of the answer that cannot be used.
 */
export async function examinedAnswer(
  answer: AnswerValue,
  request: FunctionRequest,
  { answers }: HookFunction,
  log: Log,
  signal: AbortSignal,
): Promise<ExaminedAnswer> {
  const { hook, spec, types, parent } = request;
  const reader = new AnswerReader({ hook, answers });
  const options: SyncAnswerOptions = {
    types: types.map(({ resource }) => resource),
    emptyChildren: 'refuse',
    extensions: true,
    finalizing: hook === 'finalize',
  };
  const parentResource = resourceOf(parent);
  const placed = { parent, parentResource, types };
  if (spec.kind === 'DecoratorController') {
    const read = await runInSlices(decorationAnswer(reader, answer, options, log), signal);
    const planned = await planChildren(read, { ...placed, decorator: spec.name });
    return { answer: read, planned };
  }
  const read = await runInSlices(compositeAnswer(reader, answer, options, log), signal);
  const { generateSelector } = spec;
  const selector = generateSelector ? undefined : selectorOf(parent);
  const planned = await planChildren(read, { ...placed, generateSelector, selector });
  return { answer: read, planned };
}

interface ExaminedRulesParts {
  readonly known: KnownKinds;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Reads and checks the answer of a customize hook.
 *
 * @throws OperatorError `USER_CODE` with the part of the answer that cannot be used.
 */
export async function examinedRules(
  answer: AnswerValue,
  { hook, parent }: FunctionRequest,
  { answers, version }: HookFunction,
  { known, log, signal }: ExaminedRulesParts,
): Promise<readonly NamedRule[]> {
  const reader = new AnswerReader({ hook, answers });
  const rules = await runInSlices(relatedAnswer(reader, answer, log), signal);
  for (const { part: _, apiVersion, resource: plural, ...rule } of rules) {
    const [version_ = '', group = ''] = apiVersion.split('/').reverse();
    const resource =
      known.ofReference(plural, apiVersion) ??
      defineResource({ group, version: version_, plural, kind: plural, namespaced: true });
    compileRule({ resource, ...rule }, parent, version === 'v1');
  }
  return rules;
}

/** A resource for the checks, which need only the scope of the parent. */
function resourceOf({ apiVersion, kind, metadata }: KubernetesObject): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const namespaced = metadata.namespace !== undefined;
  return defineResource({ group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced });
}

function selectorOf(parent: KubernetesObject): Selector | undefined {
  const { spec } = parent as { readonly spec?: { readonly selector?: object } };
  return selectorFromObject(spec?.selector ?? {});
}
