import { ConfigurationError, type Resource } from 'chancery';
import {
  claimsOfProcess,
  JSON_LIMITS,
  type KnownKinds,
  type Mapping,
  type YamlReader,
} from 'chancery/internal';
import type { Hook } from '../hook.ts';
import type { Jq } from '../jq/jq.ts';
import { checkMetrics } from '../metrics/check-metrics.ts';
import { HookMetrics } from '../metrics/hook-metrics.ts';
import type { MetricOperation } from '../metrics/metric-operation.ts';
import { runnerMetrics } from '../metrics/runner-metrics.ts';
import { checkPatchFile } from '../patches/check-document.ts';
import { type PreparedDocument, prepareDocuments } from '../patches/prepare-documents.ts';
import { DocumentError } from '../results/document-error.ts';
import { readJsonFile } from '../results/read-documents.ts';
import { missingRights, type RequiredRight } from '../rights/required-rights.ts';
import { HookError } from '../run/hook-error.ts';
import type { HookAnswer } from '../run/invoke-hook.ts';
import { answerLines } from './examine-answer.ts';

/** The results of a hook, checked in the same way as by `chancery hooks`. */
export interface Examined {
  readonly documents: readonly PreparedDocument[];
  readonly metrics: readonly MetricOperation[];
  /** Messages about fields that have no effect. */
  readonly warnings: readonly string[];
  /** The reason why the result would be refused. Undefined when it would be accepted. */
  readonly refusal: string | undefined;
  /** The hook's answer to a review, one line per fact. Empty when the context was no review. */
  readonly answer: readonly string[];
  /**
   * Permissions that are missing in the rights file, each with the number of the first document
   * that needs it.
   */
  readonly missing: readonly { readonly number: number; readonly right: RequiredRight }[];
}

export interface ExamineParts {
  readonly hook: Hook;
  readonly known: KnownKinds;
  readonly jq: Jq;
  readonly yaml: Pick<YamlReader, 'read'>;
  readonly signal: AbortSignal;
  /** The only binding context that the hook got. Undefined if it got several. */
  readonly asked?: Mapping | undefined;
}

/** The metric names that this process uses itself, with the default prefixes. */
const OWN_METRIC = claimsOfProcess({ more: runnerMetrics() });

/**
 * Checks the results of a hook. Sends nothing, and knows only built-in kinds and the kinds of the
 * given definitions.
 */
export async function examined(
  { exitCode, metrics, patches, responses }: Omit<HookAnswer, 'usage'>,
  parts: ExamineParts,
): Promise<Examined> {
  const warnings: string[] = [];
  const warn =
    (file: string) =>
    (problem: string): number =>
      warnings.push(`${file}: ${problem}`);
  let operations: readonly MetricOperation[] = [];
  let documents: readonly PreparedDocument[] = [];
  let refusal: string | undefined;
  let answer: readonly string[] = [];
  try {
    for (const text of responses) await readJsonFile(text, parts.signal, JSON_LIMITS);
    if (exitCode === 0) answer = await answerLines(parts.asked, responses, parts);
  } catch (error) {
    refusal = error instanceof HookError ? error.message : `response file: ${problemIn(error)}`;
  }
  try {
    operations = await checkMetrics(metrics, warn('metrics file'), parts.signal);
    const problem = new HookMetrics(OWN_METRIC).reserve(parts.hook.name, operations);
    if (problem !== undefined) refusal ??= `metrics file: ${problem}`;
  } catch (error) {
    refusal ??= `metrics file: ${problemIn(error)}`;
  }
  try {
    const all = await checkPatchFile(patches, warn('patch file'), parts);
    const counting = exitCode === 0 ? all : all.filter(({ ignoreHookError }) => ignoreHookError);
    const resolve = async (kind: string, apiVersion?: string) => knownKind(parts, kind, apiVersion);
    documents = await prepareDocuments(counting, { resolve, jq: parts.jq }, parts.signal);
  } catch (error) {
    refusal ??= `patch file: ${problemIn(error)}`;
  }
  if (answer.length > 0 && documents.length > 0) {
    refusal ??= 'patch file: an answer to the API server has no patches';
  }
  return {
    documents,
    answer,
    metrics: operations,
    warnings,
    refusal,
    missing: missingOf(documents, parts),
  };
}

function knownKind({ known }: ExamineParts, kind: string, apiVersion?: string): Resource {
  const resource = known(kind, apiVersion);
  if (resource !== undefined) return resource;
  throw new ConfigurationError(
    `the kind ${kind}${apiVersion === undefined ? '' : ` of ${apiVersion}`} is not known without a cluster: ` +
      'name the file of its definition with --crd',
  );
}

function problemIn(error: unknown): string {
  if (!(error instanceof DocumentError)) throw error;
  // Here the author of the hook needs jq's message about a program. The logs of the runner omit
  // this message.
  const { cause, message } = error;
  return cause instanceof ConfigurationError && !message.endsWith(cause.message)
    ? `${message}: ${cause.message}`
    : message;
}

function missingOf(documents: readonly PreparedDocument[], { hook }: ExamineParts) {
  const seen = new Set<string>();
  return documents.flatMap(({ number, needs }) =>
    missingRights(needs, hook.rights ?? [])
      .filter(({ apiGroup, resource, verb }) => {
        const key = `${apiGroup} ${resource} ${verb}`;
        return !seen.has(key) && seen.add(key);
      })
      .map((right) => ({ number, right })),
  );
}
