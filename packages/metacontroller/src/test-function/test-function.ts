import { readFile, writeFile } from 'node:fs/promises';
import { ConfigurationError, OperatorError } from 'chancery';
import {
  changedYaml,
  type ExitCode,
  goJson,
  type Mapping,
  reasonOf,
  runInSlices,
  settingsFrom,
  type TestHookArguments,
  type TestHookParts,
  visibleText,
} from 'chancery/internal';
import { parseFunctions } from '../call/functions/parse-functions.ts';
import { HookError } from '../hook-error.ts';
import type { HookAnswer, HookFunction } from '../hook-function.ts';
import { answerValue } from '../json/answer-value.ts';
import type { NamedRule } from '../json/related-answer.ts';
import { parseReference } from '../parse/parse-reference.ts';
import type { ResourceReference } from '../spec.ts';
import { examinedAnswer, examinedRules } from './examine-answer.ts';
import { functionOf } from './function-of.ts';
import { answerLines, relatedLines, requestLine } from './function-report.ts';
import { type FunctionRequest, functionRequest } from './function-request.ts';

/**
 * Calls a function of Metacontroller's contract with a recorded request, and reports the effects of
 * its answer.
 */
export async function testFunction(value: Mapping, parts: TestHookParts): Promise<ExitCode> {
  const { asked, known, clock, io } = parts;
  const request = functionRequest(value, known);
  requireFitting(asked, request);
  const { apiUrl } = settingsFrom(io.env);
  const called = await functionOf(asked, request, { environment: io.env, apiUrl, clock });
  const say = (lines: readonly string[]): void => {
    for (const line of lines) io.stdout.write(`${visibleText(line)}\n`);
  };
  say([requestLine(request)]);
  try {
    const answer = await called.call(
      { value: request.value, text: async () => goJson(request.value) },
      { signal: io.signal, log: parts.log, subject: 'sample' },
    );
    say(await reported(answer, request, called, parts));
    return 0;
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== 'USER_CODE') throw error;
    say([`refused: ${reasonOf(error)}: ${error.message}${factsOf(error)}`]);
    return 1;
  } finally {
    await called.close();
  }
}

/** The facts that identify the child. The messages of the engine do not contain them. */
function factsOf(error: OperatorError): string {
  if (error instanceof HookError) return '';
  const facts = Object.entries(error.context).map(([name, value]) => `${name} ${value}`);
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}

/**
 * Describes an answer of the function, in lines of the report.
 *
 * @throws OperatorError `USER_CODE` for an answer that the engine would refuse.
 */
async function reported(
  answer: HookAnswer,
  request: FunctionRequest,
  called: HookFunction,
  { asked, known, log, io }: TestHookParts,
): Promise<readonly string[]> {
  const value = await runInSlices(answerValue(answer, request.hook), io.signal);
  if (request.hook !== 'customize') {
    return answerLines(await examinedAnswer(value, request, called, log, io.signal), request);
  }
  const parts = { known, log, signal: io.signal };
  const rules = await examinedRules(value, request, called, parts);
  return [...relatedLines(rules), ...(await recorded(rules, request, asked))];
}

function requireFitting(asked: TestHookArguments, { hook }: FunctionRequest): void {
  const given = [asked.file, asked.functions, asked.url].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new ConfigurationError(
      `expected one of FILE, --functions and --url; got ${given.length === 0 ? 'none' : 'several'}`,
    );
  }
  if (asked.hookTimeout === 0) {
    throw new ConfigurationError('--hook-timeout 0: a function always has a time limit');
  }
  if (asked.patchesTo !== undefined || asked.strictPatches) {
    const option = asked.strictPatches ? '--strict-patches' : '--patches-to';
    throw new ConfigurationError(`${option} is for hooks of chancery hooks, and the sample is not`);
  }
  if (!asked.recordRights) return;
  if (asked.functions === undefined) {
    throw new ConfigurationError('--record-rights needs --functions: the rights are written there');
  }
  if (hook !== 'customize') {
    throw new ConfigurationError(
      `--record-rights needs the request of a customize hook, and this is one of ${hook}`,
    );
  }
}

/** Adds the resources of the rules to the file of functions. */
async function recorded(
  rules: readonly NamedRule[],
  { spec }: FunctionRequest,
  { recordRights, functions: path, kind = spec.kind, name = spec.name }: TestHookArguments,
): Promise<readonly string[]> {
  if (!recordRights || path === undefined) return [];
  const text = await readFile(path, 'utf8');
  const { controllers } = parseFunctions(text, path);
  const at = controllers.findIndex((each) => each.kind === kind && each.name === name);
  const { related = [] } = controllers[at] ?? {};
  const named = rules.map((rule, index) => parseReference(rule, `relatedResources[${index}]`));
  const all = distinct([...related, ...named]);
  if (all.length > related.length) await writeFile(path, changedYaml(text, [at, 'related'], all));
  return [`rights recorded in ${path}`];
}

function distinct(references: readonly ResourceReference[]): readonly ResourceReference[] {
  const byName = references.map(({ apiVersion, resource }) => [
    `${apiVersion}/${resource}`,
    { apiVersion, resource },
  ]);
  return [...new Map(byName as [string, ResourceReference][]).values()];
}
