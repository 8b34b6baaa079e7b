import type { Client, Clock, Log } from 'chancery';
import { inSlices, type Meter, ProgramError, type YamlReader } from 'chancery/internal';
import { HOOK_METRICS } from '../engine/metric-names.ts';
import type { Hook } from '../hook.ts';
import type { Jq } from '../jq/jq.ts';
import { checkMetrics } from '../metrics/check-metrics.ts';
import type { HookMetrics } from '../metrics/hook-metrics.ts';
import type { MetricOperation } from '../metrics/metric-operation.ts';
import { checkPatchFile } from '../patches/check-document.ts';
import { fieldManagerOf } from '../patches/field-manager.ts';
import { type FailedDocument, PatchRun } from '../patches/patch-run.ts';
import {
  type PreparedDocument,
  prepareDocuments,
  type ResolveKind,
} from '../patches/prepare-documents.ts';
import { DocumentError } from '../results/document-error.ts';
import { readJsonFile } from '../results/read-documents.ts';
import { formatRights, missingRights, rulesFor } from '../rights/required-rights.ts';
import { HookError } from './hook-error.ts';
import type { AskHook, HookResponses, HookRun, HookRunFacts, NewHookRun } from './hook-run.ts';

export type { ResolveKind } from '../patches/prepare-documents.ts';

/** The results of a hook that ended by itself. */
export interface HookOutcome {
  readonly exitCode: number;
  /** The content of the hook's patch file. */
  readonly patches: string;
  /** The content of the hook's metrics file. */
  readonly metrics: string;
  /** The contents of the files with the hook's answers to an admission review and to a conversion. */
  readonly responses: readonly string[];
  readonly usage: {
    readonly userCpuSeconds: number;
    readonly systemCpuSeconds: number;
    readonly maxRssBytes: number;
  };
}

/**
 * Starts a hook once and waits until it ends.
 *
 * @param contexts - the text of `BINDING_CONTEXT_PATH` in pieces.
 */
export type InvokeHook = (
  hook: Hook,
  facts: HookRunFacts,
  contexts: Iterable<string>,
  signal: AbortSignal,
) => Promise<HookOutcome>;

/** The objects and settings that all runs of all hooks share. */
export interface HookRunParts {
  readonly invoke: InvokeHook;
  /**
   * A client that keeps all digits of integers, because `JQPatch` and `CreateOrUpdate` write back
   * what they have read.
   */
  readonly client: Client;
  readonly resolve: ResolveKind;
  readonly jq: Jq;
  /** Parses results that are YAML. */
  readonly yaml: Pick<YamlReader, 'read'>;
  readonly metrics: HookMetrics;
  /** Refuse fields that have no effect. Default false: they are logged. */
  readonly strictPatches?: boolean;
  /** True when the client stores nothing, so that a deleted object still exists. Default false. */
  readonly dryRun?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Maximum number of failed documents that an error describes. */
const MAX_SHOWN_FAILURES = 5;

/**
 * Creates the runs of hooks. A run starts the hook, checks its results, and applies patches and
 * metrics.
 */
export function newHookRun(parts: HookRunParts): NewHookRun {
  return (hook, facts) => new TaskRun(parts, hook, facts);
}

/**
 * Passes requests of the API server to hooks. A run starts the hook, checks its results, and
 * applies metrics.
 */
export function askHook(parts: HookRunParts): AskHook {
  return (hook, facts, contexts, signal) => new TaskRun(parts, hook, facts).ask(contexts, signal);
}

class TaskRun implements HookRun {
  readonly #parts: HookRunParts;
  readonly #hook: Hook;
  readonly #facts: HookRunFacts;
  readonly #patches: PatchRun;
  /** The metrics that the hook wrote at its last start. They are applied after the patches of that start. */
  #metrics: readonly MetricOperation[] = [];

  constructor(parts: HookRunParts, hook: Hook, facts: HookRunFacts) {
    this.#parts = parts;
    this.#hook = hook;
    this.#facts = facts;
    this.#patches = new PatchRun(parts, fieldManagerOf(hook));
  }

  async attempt(contexts: () => Iterable<string>, signal: AbortSignal): Promise<void> {
    if (!this.#patches.isUnderWay) await this.#start(contexts, signal);
    const failed = await this.#patches.attempt(signal);
    if (failed.length > 0) throw this.#patchError(failed);
    this.#parts.metrics.apply(this.#hook.name, this.#metrics);
    this.#metrics = [];
  }

  /** See `AskHook`. */
  async ask(contexts: Iterable<string>, signal: AbortSignal): Promise<HookResponses> {
    const { exitCode, usage, patches, metrics, responses } = await this.#invoked(contexts, signal);
    this.#measure(usage);
    if (exitCode !== 0) throw this.#exited(exitCode);
    if (patches.trim() !== '') {
      throw this.#error(
        'result',
        'its patch file is refused: an answer to the API server has no patches',
      );
    }
    const operations = await this.#checkedMetrics(metrics, signal);
    this.#parts.metrics.apply(this.#hook.name, operations);
    const [admission = '', conversion = ''] = responses;
    return { admission, conversion };
  }

  async #start(contexts: () => Iterable<string>, signal: AbortSignal): Promise<void> {
    const outcome = await this.#invoked(contexts(), signal);
    this.#measure(outcome.usage);
    if (outcome.exitCode !== 0) await this.#fail(outcome, signal);
    for (const text of outcome.responses) {
      await this.#refusing('its response file', () => readJsonFile(text, signal));
    }
    this.#metrics = await this.#checkedMetrics(outcome.metrics, signal);
    this.#patches.begin(await this.#checkedDocuments(outcome.patches, signal));
  }

  async #invoked(contexts: Iterable<string>, signal: AbortSignal): Promise<HookOutcome> {
    try {
      return await this.#parts.invoke(this.#hook, this.#facts, contexts, signal);
    } catch (error) {
      // A hook that was ended at a limit is measured, too, because it has used the most resources.
      if (error instanceof ProgramError && error.usage !== undefined) this.#measure(error.usage);
      throw error;
    }
  }

  /**
   * Fails the run. The results of a failed hook are dropped, except documents with
   * `ignoreHookError`.
   */
  async #fail({ exitCode, patches }: HookOutcome, signal: AbortSignal): Promise<never> {
    const failed = patches.includes('ignoreHookError')
      ? await this.#applyRegardless(patches, signal)
      : '';
    throw this.#exited(exitCode, failed);
  }

  #exited(exitCode: number, more: string = ''): HookError {
    return this.#error('exit', `the hook ended with exit code ${exitCode}${more}`, { exitCode });
  }

  /**
   * Applies the documents with `ignoreHookError`. Returns their failures, to be added to the
   * message of the hook's failure. Empty when all were applied.
   */
  async #applyRegardless(text: string, signal: AbortSignal): Promise<string> {
    try {
      const documents = await this.#checkedDocuments(text, signal, true);
      this.#patches.begin(documents);
      const failed = await this.#patches.attempt(signal);
      return failed.map(({ message }) => `; ${message}`).join('');
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      return `; ${error.message}`;
    } finally {
      this.#patches.begin([]);
    }
  }

  async #checkedMetrics(text: string, signal: AbortSignal): Promise<readonly MetricOperation[]> {
    const onWarning = this.#warn('metrics file');
    const operations = await this.#refusing('its metrics file', () =>
      checkMetrics(text, onWarning, signal),
    );
    const problem = this.#parts.metrics.reserve(this.#hook.name, operations);
    if (problem === undefined) return operations;
    throw this.#error('result', `its metrics file is refused: ${problem}`);
  }

  /** Reads and checks the documents. If one document is wrong, this throws, so that nothing is sent. */
  async #checkedDocuments(
    text: string,
    signal: AbortSignal,
    onlyRegardless = false,
  ): Promise<readonly PreparedDocument[]> {
    const onWarning = this.#warn('patch file');
    const { yaml } = this.#parts;
    const all = await this.#refusing('its patch file', () =>
      checkPatchFile(text, onWarning, { yaml, signal }),
    );
    const wanted = onlyRegardless ? all.filter(({ ignoreHookError }) => ignoreHookError) : all;
    const documents = await this.#refusing('its patch file', () =>
      prepareDocuments(wanted, this.#parts, signal),
    );
    await this.#requireRights(documents);
    return documents;
  }

  async #requireRights(documents: readonly PreparedDocument[]): Promise<void> {
    const { name, rights = [] } = this.#hook;
    const perDocument = await inSlices(documents, ({ number, needs }) =>
      missingRights(needs, rights).map((right) => ({ number, right })),
    );
    const missing = perDocument.flat();
    const [first] = missing;
    if (first === undefined) return;
    const rules = formatRights(rulesFor(missing.map(({ right }) => right)));
    throw this.#error(
      'right',
      `document ${first.number} is not declared, so nothing was sent. Add to ${name}.rights.yaml:\n${rules}`,
      { document: first.number },
    );
  }

  /**
   * Turns a DocumentError into a HookError.
   *
   * @throws HookError instead of a DocumentError.
   */
  async #refusing<T>(file: string, check: () => T | Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      const { document } = error;
      throw this.#error('result', `${file} is refused: ${error.message}`, { document });
    }
  }

  #warn(file: string): (problem: string) => void {
    const { strictPatches = false, log } = this.#parts;
    return (problem) => {
      if (strictPatches) throw this.#error('result', `its ${file} is refused: ${problem}`);
      log.warn(
        { hook: this.#hook.name, problem },
        'a field of a result file has no effect; --strict-patches refuses it',
      );
    };
  }

  #patchError(failed: readonly FailedDocument[]): HookError {
    const [first] = failed;
    const shown = failed.slice(0, MAX_SHOWN_FAILURES).map(({ message }) => message);
    const more = failed.length - shown.length;
    const message = [...shown, ...(more > 0 ? [`and ${more} more documents`] : [])].join('; ');
    return this.#error('patch', message, { document: first?.number ?? 0 }, first?.cause);
  }

  #error(
    failure: HookError['failure'],
    message: string,
    facts: Readonly<Record<string, number>> = {},
    cause?: unknown,
  ): HookError {
    return new HookError(failure, message, {
      cause,
      context: { hook: this.#hook.name, ...this.#facts, ...facts },
    });
  }

  #measure({ userCpuSeconds, systemCpuSeconds, maxRssBytes }: HookOutcome['usage']): void {
    const { meter } = this.#parts;
    const labels = { hook: this.#hook.name, ...this.#facts };
    meter.observe(HOOK_METRICS.runUserCpuSeconds, labels, userCpuSeconds);
    meter.observe(HOOK_METRICS.runSystemCpuSeconds, labels, systemCpuSeconds);
    meter.gauge(HOOK_METRICS.runMaxRssBytes, labels, maxRssBytes);
  }
}
