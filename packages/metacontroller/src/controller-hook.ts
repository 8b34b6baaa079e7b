import {
  type KubernetesObject,
  keyOf,
  type ReconcileContext,
  type Resource,
  resourceName,
} from 'chancery';
import { runInSlices, type SyncRequest } from 'chancery/internal';
import type { SharedParts } from './controller-parts.ts';
import type { HookCall, HookFunction, HookRequest } from './hook-function.ts';
import { AnswerReader } from './json/answer-reader.ts';
import { type AnswerValue, answerValue } from './json/answer-value.ts';
import { type HookRequests, hookRequests } from './json/hook-request.ts';
import type { TypedObjects } from './json/object-map.ts';
import type { ControllerSpec, HookName } from './spec.ts';

/** One hook of one controller: what it is called with, and how its answers are read. */
export class ControllerHook {
  readonly reader: AnswerReader;
  readonly extensions: boolean;
  readonly #hook: HookName;
  readonly #function: HookFunction;
  readonly #requests: HookRequests;
  readonly #types: readonly Resource[];

  constructor(spec: ControllerSpec, hook: HookName, { called, types, shared }: HookParts) {
    const { mode, version, answers } = called;
    this.#hook = hook;
    this.#function = called;
    this.#types = types;
    this.#requests = hookRequests(spec, {
      version,
      managedFields: mode === 'webhook' && shared.managedFields,
    });
    this.reader = new AnswerReader({ hook, answers });
    this.extensions = shared.extensions && version === 'v2';
  }

  /** @throws HookError */
  async sync({
    parent,
    children,
    related,
    finalizing,
    revision,
    context,
  }: SyncRequest): Promise<AnswerValue> {
    const request = this.#requests.sync({
      parent,
      children: this.#types.map((resource) => ({
        resource,
        objects: children.get(resourceName(resource)) ?? [],
      })),
      related: [...related.values()] satisfies readonly TypedObjects[],
      finalizing,
    });
    return await this.#answer(request, {
      signal: context.signal,
      log: context.log,
      subject: `${subjectOf(parent)} ${revision}`,
    });
  }

  /** @throws HookError */
  async customize(
    parent: KubernetesObject,
    { signal, log }: ReconcileContext,
  ): Promise<AnswerValue> {
    const request = this.#requests.customize(parent);
    return await this.#answer(request, { signal, log, subject: subjectOf(parent) });
  }

  async #answer(request: HookRequest, call: HookCall): Promise<AnswerValue> {
    const answer = await this.#function.call(request, call);
    return await runInSlices(answerValue(answer, this.#hook), call.signal);
  }
}

interface HookParts {
  readonly called: HookFunction;
  /** The declared types of children. */
  readonly types: readonly Resource[];
  readonly shared: SharedParts;
}

/** The hooks of a controller may serve several kinds of parents, and a name may be used again. */
function subjectOf(parent: KubernetesObject): string {
  return `${parent.apiVersion} ${parent.kind} ${keyOf(parent)} ${parent.metadata.uid ?? ''}`;
}
