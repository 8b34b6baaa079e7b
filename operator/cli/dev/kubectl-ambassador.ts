import { createInterface } from 'node:readline';
import type { ProxyFilter } from '../../access/filter/proxy-filter.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import { GuardedChild } from '../child/guarded-child.ts';
import type { UsableKubectl } from '../proxy/find-kubectl.ts';
import { kubectlProxyFlags } from '../proxy/proxy-flags.ts';
import type { Ambassador } from './ambassador.ts';

/** Delay before a proxy that ended by itself is restarted. */
const RESTART_MS = 1_000;

export interface KubectlAmbassadorOptions {
  readonly kubectl: UsableKubectl;
  /** Arguments that choose the API server, such as `--context=NAME`. */
  readonly upstream: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

/** A real `kubectl proxy`. It keeps its port when it is restarted. */
export class KubectlAmbassador implements Ambassador {
  readonly description: string;
  readonly #options: KubectlAmbassadorOptions;
  readonly #stopped = new AbortController();
  #child: GuardedChild | undefined;
  #port = 0;

  constructor(options: KubectlAmbassadorOptions) {
    this.#options = options;
    this.description = `kubectl proxy ${options.kubectl.version}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(filter: ProxyFilter): Promise<void> {
    await this.#end();
    const { kubectl, upstream, environment } = this.#options;
    const child = new GuardedChild({
      program: kubectl.path,
      args: kubectlProxyFlags(filter, this.#port, upstream),
      env: { ...environment, KUBERC: 'off' },
    });
    this.#child = child;
    this.#port = await listeningPort(child);
    void child.exit.then((code) => this.#startAgain(child, code, filter));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#end();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    await child?.kill();
  }

  async #startAgain(ended: GuardedChild, code: number, filter: ProxyFilter): Promise<void> {
    const { clock, say } = this.#options;
    while (this.#child === ended) {
      say(`kubectl proxy ended with code ${code}; it is started again`);
      const waited = await sleep(clock, RESTART_MS, this.#stopped.signal).then(
        () => true,
        () => false,
      );
      if (!waited || this.#child !== ended) return;
      try {
        await this.start(filter);
      } catch (error) {
        say(String(error));
        this.#child = ended;
      }
    }
  }
}

/**
 * The port on which kubectl listens.
 *
 * @throws OperatorError `AMBASSADOR` with kubectl's own message when kubectl ends before it
 * listens.
 */
async function listeningPort(child: GuardedChild): Promise<number> {
  const words: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (words.length < 5) words.push(line);
  });
  const lines = createInterface({ input: child.stdout });
  const port = new Promise<number>((resolve) => {
    lines.on('line', (line) => {
      const found = /^Starting to serve on \S*:([0-9]+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
  const found = await Promise.race([port, child.exit.then(() => undefined)]);
  if (found !== undefined) return found;
  throw new OperatorError(`kubectl proxy did not start: ${words.join(' ')}`, {
    code: 'CONFIG',
    layer: 'configuration',
  });
}
