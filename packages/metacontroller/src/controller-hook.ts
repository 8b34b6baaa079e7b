import {
  type KubernetesObject,
  keyOf,
  type Log,
  type ReconcileContext,
  type Resource,
  resourceName,
} from 'chancery';
import { runInSlices, type SyncRequest } from 'chancery/internal';
import { requiredSync, withPeriod } from './controller-options.ts';
import type { ConfiguredHooks, SharedParts } from './controller-parts.ts';
import type { HookCall, HookFunction, HookRequest } from './hook-function.ts';
import { AnswerReader } from './json/answer-reader.ts';
import { type AnswerValue, answerValue } from './json/answer-value.ts';
import type { CommonAnswer, SyncAnswerOptions } from './json/children-answers.ts';
import { recordEvents } from './json/hook-events.ts';
import { type HookRequests, hookRequests } from './json/hook-request.ts';
import type { TypedObjects } from './json/object-map.ts';
import type { ControllerSpec, HookName } from './spec.ts';

/** One hook of one controller: it builds the requests and reads the answers. */
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

  /**
   * Calls a sync or finalize hook.
   *
   * @throws HookError
   */
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

  /**
   * Calls a customize hook.
   *
   * @throws HookError
   */
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

interface AskedHooks {
  readonly hooks: ConfiguredHooks;
  /** The declared types of children. */
  readonly types: readonly Resource[];
  readonly shared: SharedParts;
}

/**
 * A function that calls the right hook for a parent and reads its answer.
 *
 * @param read - reads the answers for this kind of controller.
 * @throws ConfigurationError `CONFIG` when the controller has no sync hook.
 */
export function askHooks<A extends CommonAnswer>(
  spec: ControllerSpec,
  { hooks, types, shared }: AskedHooks,
  read: (
    ...answer: readonly [AnswerReader, AnswerValue, SyncAnswerOptions, Log]
  ) => Generator<void, A, undefined>,
): (request: SyncRequest) => Promise<A> {
  const sync = new ControllerHook(spec, 'sync', {
    called: requiredSync(spec, hooks),
    types,
    shared,
  });
  const finalize =
    hooks.finalize &&
    new ControllerHook(spec, 'finalize', { called: hooks.finalize, types, shared });
  const { emptyChildren } = shared;
  return async (request) => {
    const { finalizing, context } = request;
    const hook = finalizing && finalize !== undefined ? finalize : sync;
    const given = await hook.sync(request);
    const options = { types, emptyChildren, extensions: hook.extensions, finalizing };
    const reading = read(hook.reader, given, options, context.log);
    const answer = await runInSlices(reading, context.signal);
    recordEvents(answer.events, context);
    return withPeriod(answer, spec, shared);
  };
}

/**
 * Identifies a parent. The kind is included because a controller may serve several kinds of
 * parents, and the uid because a name may be used again.
 */
function subjectOf(parent: KubernetesObject): string {
  return `${parent.apiVersion} ${parent.kind} ${keyOf(parent)} ${parent.metadata.uid ?? ''}`;
}
