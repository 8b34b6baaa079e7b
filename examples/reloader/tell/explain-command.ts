/** `-- explain deployment/web --namespace demo`: prints which rule decides for each resource, and what is due. */
import {
  type Client,
  type Clock,
  ConfigurationError,
  isUnserved,
  type KubernetesObject,
} from 'chancery';
import type { ArgumentValues } from '../contract/arguments.ts';
import { parseGoBoolean } from '../contract/go-words.ts';
import type { Options } from '../contract/options.ts';
import { type ResourceRef, refOfKey } from '../contract/resource-type.ts';
import type { ResourceKind, WorkloadKind } from '../workloads/kind.ts';
import { explanation } from './explain.ts';
import { workloadFacts } from './explain-facts.ts';

/** What positionals mean, for `--help`. */
export const EXPLAIN_WORDS: readonly (readonly [words: string, help: string])[] = [
  [
    'explain KIND/NAME [configmap/NAME …]',
    'print which rule decides for each resource of a workload, and what is due',
  ],
];

/** What the command line asks for. */
export interface ExplainRequest {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Resources that are explained whether or not they concern the workload. */
  readonly resources: readonly ResourceRef[];
}

/**
 * Undefined: the operator is to run.
 *
 * @throws ConfigurationError `CONFIG` when the words are not those of `explain`.
 */
export function explainRequest(
  [verb, workload = '', ...resources]: readonly string[],
  values: ArgumentValues,
  { namespaces }: Pick<Options, 'namespaces'>,
): ExplainRequest | undefined {
  const { namespace } = values;
  if (verb === undefined) {
    if (namespace === undefined) return undefined;
    throw new ConfigurationError('--namespace is for explain; did you mean --namespaces?');
  }
  if (namespace !== undefined && !/^[a-z0-9][-a-z0-9]{0,62}$/.test(namespace)) {
    throw new ConfigurationError(
      `--namespace must be the name of a namespace, not ${JSON.stringify(namespace)}`,
    );
  }
  const [kind = '', name = '', ...more] = workload.split('/');
  if (verb !== 'explain' || kind === '' || name === '' || more.length > 0) {
    throw new ConfigurationError(
      `expected explain KIND/NAME, such as explain deployment/web, got ${JSON.stringify([verb, workload].join(' ').trim())}${valueHint(verb)}`,
    );
  }
  return {
    kind: kind.toLowerCase(),
    name,
    namespace: namespace ?? namespaces?.[0] ?? 'default',
    resources: resources.map(resourceOf),
  };
}

/** `--auto-reload-all false` gives the flag without a value, and a word. */
function valueHint(verb: string): string {
  if (parseGoBoolean(verb) === undefined) return '';
  return `; the value of a flag follows "=", as in --auto-reload-all=${verb}`;
}

function resourceOf(word: string): ResourceRef {
  const [type = '', ...name] = word.split('/');
  const known = TYPES[type.toLowerCase()] ?? type.toLowerCase();
  const ref = refOfKey([known, ...name].join('/'));
  if (ref !== undefined) return ref;
  throw new ConfigurationError(
    `expected a resource such as configmap/app, got ${JSON.stringify(word)}`,
  );
}

/** The short names of kubectl, and plurals. */
const TYPES: Readonly<Record<string, string>> = {
  cm: 'configmap',
  configmaps: 'configmap',
  secrets: 'secret',
  secretproviderclasses: 'secretproviderclass',
};

const KINDS: Readonly<Record<string, string>> = {
  deploy: 'deployment',
  sts: 'statefulset',
  ds: 'daemonset',
  cj: 'cronjob',
  ro: 'rollout',
};

export interface ExplainContext {
  readonly options: Options;
  /** All kinds, also those that a flag ignores. */
  readonly workloads: readonly WorkloadKind[];
  readonly resources: readonly ResourceKind[];
}

/** The part of the command's surroundings that is used. */
interface Io {
  readonly client: Client;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

const MAX_NAMES = 20;

/** The command. Its result is 0, or 1 when there is no such workload: then the others are named. */
export function explainCommand(
  request: ExplainRequest,
  { options, workloads, resources }: ExplainContext,
): (io: Io) => Promise<number> {
  return async ({ client, stdout, stderr, signal, clock }) => {
    const { namespace, name } = request;
    const word = KINDS[request.kind] ?? request.kind;
    const kind = workloads.find(
      (each) => each.kind.toLowerCase() === word || each.resource.plural === word,
    );
    if (kind === undefined) {
      const known = workloads.map((each) => each.kind.toLowerCase()).join(', ');
      stderr.write(`there is no kind ${request.kind}; known: ${known}\n`);
      return 1;
    }
    const { resource } = kind;
    const found = client.find(resource, { namespace, name }, { signal });
    const workload = await found.catch(noneIfUnserved);
    if (workload === undefined) {
      const listed = client.list(resource, { namespace, signal });
      const others = (await listed.catch(noneIfUnserved)) ?? [];
      stderr.write(`${notFound(kind, request, others)}\n`);
      return 1;
    }
    const parts = { options, resources, client, clock, signal };
    const facts = await workloadFacts(kind, workload, request.resources, parts);
    stdout.write(
      explanation(facts)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return 0;
  };
}

/** An API server without Argo Rollouts has none of them. */
function noneIfUnserved(error: unknown): undefined {
  if (isUnserved(error)) return undefined;
  throw error;
}

function notFound(
  { kind }: WorkloadKind,
  { name, namespace }: ExplainRequest,
  objects: readonly KubernetesObject[],
): string {
  const names = objects.map(({ metadata }) => metadata.name).sort();
  const shown = names.slice(0, MAX_NAMES).join(', ');
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const others = names.length === 0 ? 'it has none' : `it has ${shown}${more}`;
  return `no ${kind} ${name} in namespace ${namespace}; ${others}`;
}
