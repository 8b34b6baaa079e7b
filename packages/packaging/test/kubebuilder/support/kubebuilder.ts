/** kubebuilder as its plugins see it: what it sends, and what it makes of their answers. */
import { expect } from 'vitest';
import { parseYaml } from '../../../../../operator/core/yaml.ts';
import { invoke } from '../../../../../test/cli/invocation.ts';
import type { PluginFlag, PluginResponse } from '../../../src/kubebuilder/protocol.ts';

export type Files = ReadonlyMap<string, string>;

/** One start of the plugin. */
export interface Exchange {
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: PluginResponse;
}

/** What a command of kubebuilder did. */
export interface Run {
  readonly exchanges: readonly Exchange[];
  /** The files that the plugin gave back. */
  readonly written: Readonly<Record<string, string>>;
  /** What the user sees: the messages of an error. */
  readonly errors: readonly string[];
  /** What the plugin wrote to stderr. */
  readonly told: string;
}

const PLUGIN = 'chancery.dev/v1';

/** The plugins that are in the bundle `go.kubebuilder.io/v4`. */
export const GO_CHAIN = [
  'kustomize.common.kubebuilder.io/v2',
  'base.go.kubebuilder.io/v4',
  PLUGIN,
] as const;

/** The content of PROJECT as JSON. */
type Config = Readonly<Record<string, unknown>>;

/** Starts the plugin in this process with the text of a request. */
export async function ask(stdin: string): Promise<{ response: PluginResponse; told: string }> {
  const { stdout, stderr, exit } = invoke(['plugin', 'kubebuilder'], { stdin });
  expect(await exit).toBe(0);
  expect(stdout.lines).toHaveLength(1);
  const response = JSON.parse(stdout.lines[0] ?? '') as PluginResponse;
  requireDecodable(response);
  return { response, told: stderr.lines.join('\n') };
}

/** A project in memory, and the commands of kubebuilder in it. */
export class Kubebuilder {
  readonly files: Map<string, string>;
  /** Written by the tool after each command. */
  config: Config | undefined;

  constructor(files: Files = new Map(), config?: Config) {
    this.files = new Map(files);
    this.config = config;
  }

  /** A project with a PROJECT file. */
  static of(files: Files): Kubebuilder {
    const project = files.get('PROJECT');
    return new Kubebuilder(
      files,
      project === undefined ? undefined : (parseYaml(project) as Config),
    );
  }

  init(words: readonly string[], chain: readonly string[] = [PLUGIN]): Promise<Run> {
    return this.#run('init', 'init', words, chain);
  }

  createApi(words: readonly string[], chain: readonly string[] = [PLUGIN]): Promise<Run> {
    return this.#run('create api', 'api', words, chain);
  }

  createWebhook(words: readonly string[], chain: readonly string[] = [PLUGIN]): Promise<Run> {
    return this.#run('create webhook', 'webhook', words, chain);
  }

  edit(words: readonly string[] = [], chain: readonly string[] = [PLUGIN]): Promise<Run> {
    return this.#run('edit', 'edit', words, chain);
  }

  async #run(
    command: string,
    subcommand: string,
    words: readonly string[],
    pluginChain: readonly string[],
  ): Promise<Run> {
    const asked = { apiVersion: 'v1alpha1', args: [`--${subcommand}`], universe: {} };
    const requests = [
      { ...asked, command: 'metadata' },
      { ...asked, command: 'flags' },
      {
        ...{ apiVersion: 'v1alpha1', command, args: sentWords(words), pluginChain },
        universe: Object.fromEntries(this.files),
        ...(this.config !== undefined && { config: this.config }),
      },
    ];
    const exchanges: Exchange[] = [];
    let told = '';
    for (const request of requests) {
      const answered = await ask(JSON.stringify(request));
      exchanges.push({ request, response: answered.response });
      told += answered.told;
    }
    const response = exchanges.at(-1)?.response;
    const written = response?.error === true ? {} : (response?.universe ?? {});
    for (const [path, text] of Object.entries(written)) this.files.set(path, text);
    return { exchanges, written, errors: response?.errorMsgs ?? [], told };
  }
}

/** The words of a command line that plugins get. */
function sentWords(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    if (!word.startsWith('--') || word === '--plugins' || word.startsWith('--plugins=')) return [];
    const next = words[at + 1];
    return next === undefined || next.startsWith('--') ? [word] : [word, next];
  });
}

/** Go decodes the answer into fields with types: one of another type makes the whole answer unreadable. */
function requireDecodable({
  apiVersion,
  command,
  metadata,
  universe,
  ...rest
}: PluginResponse): void {
  const texts = [
    ...[apiVersion, command, metadata.description, metadata.examples],
    ...Object.values(universe),
    ...(rest.errorMsgs ?? []),
    ...(rest.flags ?? []).flatMap((flag: PluginFlag) => Object.values(flag)),
  ];
  expect(texts.filter((text) => typeof text !== 'string')).toEqual([]);
  expect([true, undefined]).toContain(rest.error);
}
