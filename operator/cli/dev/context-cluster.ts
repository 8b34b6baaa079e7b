import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError, messageOf, OperatorError } from '../../core/errors.ts';
import { parseYamlDocuments } from '../../core/yaml.ts';
import type { Io } from '../command.ts';
import { upstreamFlags } from '../proxy/arguments.ts';
import { findUsableKubectl, type UsableKubectl } from '../proxy/find-kubectl.ts';
import type { Ambassador, DevCluster } from './ambassador.ts';
import { KubectlAmbassador } from './kubectl-ambassador.ts';
import { SAMPLE_MANAGER } from './sample-writer.ts';

/** Time after which a cluster without an answer counts as failed. */
const CALL_LIMIT_MS = 30_000;

export interface ContextOptions {
  readonly context: string;
  readonly kubeconfig: string | undefined;
  /** If undefined, the namespace of the context is used. */
  readonly namespace: string | undefined;
  readonly io: Io;
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

/**
 * The cluster of a kubeconfig context. The operator has the rights of the context's user, and no
 * roles are written.
 */
export class ContextCluster implements DevCluster {
  readonly description: string;
  readonly ambassador: Ambassador;
  readonly namespace: string;
  readonly #kubectl: Kubectl;
  #definitions = '';

  private constructor(kubectl: Kubectl, facts: ContextFacts, ambassador: Ambassador) {
    this.#kubectl = kubectl;
    this.ambassador = ambassador;
    this.namespace = facts.namespace;
    this.description = `${facts.server} (context ${facts.context})`;
  }

  /**
   * Reads the kubeconfig. Nothing is sent to the cluster.
   *
   * @throws ConfigurationError `CONFIG` without a usable kubectl, and for a context that does not
   * exist.
   */
  static async open(options: ContextOptions): Promise<ContextCluster> {
    const { io, clock, say } = options;
    const found = await findUsableKubectl(io.env);
    const upstream = upstreamFlags(options);
    const kubectl = new Kubectl(found, upstream, io.env);
    const facts = await factsOf(kubectl, options);
    const ambassador = new KubectlAmbassador({
      kubectl: found,
      upstream,
      environment: io.env,
      clock,
      say,
    });
    return new ContextCluster(kubectl, facts, ambassador);
  }

  async applyDefinitions(definitions: readonly string[]): Promise<void> {
    const text = definitions.join('---\n');
    if (text === '' || text === this.#definitions) return;
    await this.#apply(text);
    const names = parseYamlDocuments(text).map(
      (value) => `crd/${(value as { metadata: { name: string } }).metadata.name}`,
    );
    await this.#kubectl.run(['wait', '--for=condition=Established', '--timeout=20s', ...names]);
    this.#definitions = text;
  }

  async applyRoles(): Promise<void> {} // the operator has the rights of the user

  async applyWebhooks(): Promise<void> {} // the cluster would need a certificate, and a route to this machine

  async asksWebhooks(): Promise<boolean> {
    return true; // there are no webhooks to wait for
  }

  async applySample(sample: unknown): Promise<void> {
    await this.#apply(JSON.stringify(sample));
  }

  async close(): Promise<void> {
    await this.ambassador.stop();
  }

  async #apply(text: string): Promise<void> {
    const how = ['--server-side', '--force-conflicts', `--field-manager=${SAMPLE_MANAGER}`];
    await this.#kubectl.run(
      ['apply', ...how, `--namespace=${this.namespace}`, '--filename=-'],
      text,
    );
  }
}

interface ContextFacts {
  readonly context: string;
  readonly server: string;
  readonly namespace: string;
}

/** The fields that this module reads in the output of `kubectl config view --minify`. */
interface KubeconfigView {
  readonly clusters?: readonly { readonly cluster?: { readonly server?: string } }[] | null;
  readonly contexts?: readonly { readonly context?: { readonly namespace?: string } }[] | null;
}

async function factsOf(
  kubectl: Kubectl,
  { context, namespace }: ContextOptions,
): Promise<ContextFacts> {
  let view: KubeconfigView;
  try {
    const text = await kubectl.run(['config', 'view', '--minify', '--output=json']);
    view = JSON.parse(text) as KubeconfigView;
  } catch (error) {
    throw new ConfigurationError(
      `cannot use --context ${context}: ${messageOf(error)}; "kubectl config get-contexts" lists them`,
      { cause: error },
    );
  }
  return {
    context,
    server: view.clusters?.[0]?.cluster?.server ?? 'a server without a URL',
    namespace: namespace ?? view.contexts?.[0]?.context?.namespace ?? 'default',
  };
}

/**
 * Runs short commands of kubectl. Each command ends by itself within `CALL_LIMIT_MS`, even if this
 * process has ended.
 */
class Kubectl {
  readonly #found: UsableKubectl;
  readonly #upstream: readonly string[];
  readonly #environment: Io['env'];

  constructor(found: UsableKubectl, upstream: readonly string[], environment: Io['env']) {
    this.#found = found;
    this.#upstream = upstream;
    this.#environment = environment;
  }

  /**
   * Runs kubectl and returns its standard output.
   *
   * @throws OperatorError with kubectl's standard error when kubectl fails.
   */
  run(words: readonly string[], input: string = ''): Promise<string> {
    const limit = `--request-timeout=${CALL_LIMIT_MS / 1_000}s`;
    return new Promise((resolve, reject) => {
      const child = execFile(
        this.#found.path,
        [...words, ...this.#upstream, limit],
        { env: { ...this.#environment, KUBERC: 'off' }, timeout: 2 * CALL_LIMIT_MS },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else reject(refused(words, stderr.trim() || error.message));
        },
      );
      child.stdin?.on('error', () => {}); // it failed before it read everything, and reports why
      child.stdin?.end(input);
    });
  }
}

function refused([verb = '']: readonly string[], words: string): OperatorError {
  return new OperatorError(`kubectl ${verb}: ${words}`, { code: 'CONFIG', layer: 'configuration' });
}

/**
 * Before anything is written to a cluster, the user must type the name of its context.
 *
 * @param facts - a description of the writes that will follow, which is printed for the user.
 * @throws ConfigurationError `CONFIG` when there is no terminal, and when the user types anything
 * else.
 */
export async function confirmContext(context: string, facts: string, io: Io): Promise<void> {
  const isTerminal = (stream: object): boolean => (stream as { isTTY?: boolean }).isTTY === true;
  if (!isTerminal(io.stdin) || !isTerminal(io.stderr)) {
    throw new ConfigurationError(
      `nothing was written to context ${context}: there is no terminal to ask on; add --yes to write ` +
        'to it without being asked',
    );
  }
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    const question = `${facts}\nType the name of the context to go on: `;
    const answer = await Promise.race([
      lines.question(question, { signal: io.signal }).catch(() => undefined),
      closed,
    ]);
    if (answer?.trim() === context) return;
  } finally {
    lines.close();
  }
  throw new ConfigurationError(
    `nothing was written to context ${context}: its name was not confirmed`,
  );
}
