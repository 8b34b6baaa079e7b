import { planAttachments } from '../../../composite/decorator/check-answer.ts';
import type { PlannedChild } from '../../../composite/engine-options.ts';
import { planChildren } from '../../../composite/plan-children.ts';
import { compileRule } from '../../../composite/related/compiled-rule.ts';
import type { Log } from '../../../controller/reconciler.ts';
import { source } from '../../../controller/source.ts';
import { runInSlices } from '../../../core/time-slice.ts';
import type { HookFunction } from '../../../metacontroller/hook-function.ts';
import { AnswerReader } from '../../../metacontroller/json/answer-reader.ts';
import type { AnswerValue } from '../../../metacontroller/json/answer-value.ts';
import {
  type CompositeAnswer,
  compositeAnswer,
  type DecorationAnswer,
  decorationAnswer,
  type SyncAnswerOptions,
} from '../../../metacontroller/json/children-answers.ts';
import { type NamedRule, relatedAnswer } from '../../../metacontroller/json/related-answer.ts';
import type { KnownKinds } from '../../../model/known-kinds.ts';
import type { KubernetesObject } from '../../../model/object.ts';
import { defineResource, type Resource } from '../../../model/resource.ts';
import { type Selector, selectorFromObject } from '../../../model/selector.ts';
import type { FunctionRequest } from './function-request.ts';

/** A usable answer of a sync or finalize hook, and what follows from it for children. */
export interface ExaminedAnswer {
  readonly answer: CompositeAnswer | DecorationAnswer;
  readonly planned: readonly PlannedChild[];
}

/**
 * Reads and checks the answer of a sync or finalize hook as the engine does before it writes.
 *
 * @throws OperatorError `USER_CODE` that says what is unusable.
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
  if (spec.kind === 'DecoratorController') {
    const read = await runInSlices(decorationAnswer(reader, answer, options, log), signal);
    const { children: attachments, labels, annotations, status } = read;
    const planned = await planAttachments({ attachments, labels, annotations, status }, parent, {
      attachments: types,
      decorator: spec.name,
      objects: source(parentResource),
      writer: {},
    });
    return { answer: read, planned };
  }
  const read = await runInSlices(compositeAnswer(reader, answer, options, log), signal);
  const { generateSelector } = spec;
  const selector = generateSelector ? undefined : selectorOf(parent);
  const rules = { parent, parentResource, types, generateSelector, selector, writer: {} };
  return { answer: read, planned: await planChildren(read.children, rules) };
}

interface ExaminedRulesParts {
  readonly known: KnownKinds;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Reads and checks the answer of a customize hook.
 *
 * @throws OperatorError `USER_CODE` that says what is unusable.
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

/** What the checks need of a parent's resource: its scope. */
function resourceOf({ apiVersion, kind, metadata }: KubernetesObject): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const namespaced = metadata.namespace !== undefined;
  return defineResource({ group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced });
}

function selectorOf(parent: KubernetesObject): Selector | undefined {
  const { spec } = parent as { readonly spec?: { readonly selector?: object } };
  return selectorFromObject(spec?.selector ?? {});
}
