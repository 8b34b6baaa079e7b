/** Controllers of tests, and what decides for them: a webhook server, programs or modules. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { KubernetesObject } from '../../../../operator/index.ts';
import { type Decide, WebhookServer } from './webhooks.ts';

/** How a hook is called. */
export const MODES = ['webhook', 'exec', 'module'] as const;
export type Mode = (typeof MODES)[number];

/** A function in a file: the same for each mode. */
export interface Library {
  readonly file: URL;
  readonly export: string;
}

/** A hook: a function in a file, or of the test itself, which only a webhook can call. */
export interface SubjectHook {
  readonly decide: Library | Decide;
  /** Default: what the object says, or v1. */
  readonly version?: 'v1' | 'v2';
  /** More fields of `webhook`, such as `timeout`. */
  readonly webhook?: object;
}

type HookName = 'sync' | 'finalize' | 'customize';

/** A CompositeController or a DecoratorController of a test. */
export interface Subject {
  /** Its `spec.hooks` is made of `hooks`. */
  readonly object: ControllerObject;
  readonly hooks: Readonly<Partial<Record<HookName, SubjectHook>>>;
  /** Resources that its customize hook names. */
  readonly related?: readonly { readonly apiVersion: string; readonly resource: string }[];
}

export interface ControllerObject extends KubernetesObject {
  readonly spec: object;
}

/** What the harness makes of subjects. */
export interface Hooked {
  /** As an administrator applies them. */
  readonly objects: readonly KubernetesObject[];
  readonly server: WebhookServer;
  /** The file for `--functions`. Undefined in the mode `webhook`. */
  readonly functions: string | undefined;
}

const RELATED = 'metacontroller.chancery.dev/related-resources';
const RUN = fileURLToPath(new URL('run-function.ts', import.meta.url));

/** Starts the webhook server, or writes the functions file. Both end with the test. */
export async function hooked(subjects: readonly Subject[], mode: Mode): Promise<Hooked> {
  const server = new WebhookServer(await handlersOf(subjects));
  await server.start();
  onTestFinished(() => server.stop());
  const objects = subjects.map((subject) => objectOf(subject, mode, server.url));
  const functions = mode === 'webhook' ? undefined : await writeFunctions(subjects, mode);
  return { objects, server, functions };
}

/** Path of the webhook of a controller. */
export function pathOf(controller: string, hook: HookName): string {
  return `/${controller}/${hook}`;
}

async function handlersOf(subjects: readonly Subject[]): Promise<Record<string, Decide>> {
  const handlers: Record<string, Decide> = {};
  for (const [subject, name, hook] of hooksOf(subjects)) {
    handlers[pathOf(subject.object.metadata.name, name)] = await functionOf(hook.decide);
  }
  return handlers;
}

function hooksOf(subjects: readonly Subject[]) {
  return subjects.flatMap((subject) =>
    (Object.entries(subject.hooks) as [HookName, SubjectHook][]).map(
      ([name, hook]) => [subject, name, hook] as const,
    ),
  );
}

async function functionOf(decide: Library | Decide): Promise<Decide> {
  if (typeof decide === 'function') return decide;
  const exports = (await import(/* @vite-ignore */ fileURLToPath(decide.file))) as Record<
    string,
    Decide
  >;
  const found = exports[decide.export];
  if (found === undefined) throw new Error(`${decide.file} exports no ${decide.export}`);
  return found;
}

function objectOf(
  { object, hooks, related = [] }: Subject,
  mode: Mode,
  url: string,
): KubernetesObject {
  const { name, annotations } = object.metadata;
  const configured = Object.entries(hooks).map(([hook, { version, webhook }]) => {
    const called = { webhook: { url: url + pathOf(name, hook as HookName), ...webhook } };
    return [hook, { ...(version && { version }), ...(mode === 'webhook' && called) }];
  });
  const names = related.map(({ apiVersion, resource }) => `${apiVersion}/${resource}`).join(',');
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(names !== '' && { annotations: { ...annotations, [RELATED]: names } }),
    },
    spec: { ...object.spec, hooks: Object.fromEntries(configured) },
  } as KubernetesObject;
}

async function writeFunctions(
  subjects: readonly Subject[],
  mode: 'exec' | 'module',
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-functions-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const entries = subjects.map(({ object, hooks }) => ({
    kind: object.kind,
    name: object.metadata.name,
    ...Object.fromEntries(
      Object.entries(hooks).map(([name, { decide }]) => [name, entryOf(decide, mode)]),
    ),
  }));
  const path = join(folder, 'functions.yaml');
  await writeFile(path, JSON.stringify(entries)); // JSON is YAML
  return path;
}

function entryOf(decide: Library | Decide, mode: 'exec' | 'module'): object {
  if (typeof decide === 'function')
    throw new Error('a function of the test is called as a webhook');
  const file = fileURLToPath(decide.file);
  return mode === 'exec'
    ? { exec: [process.execPath, RUN, file, decide.export] }
    : { module: file, export: decide.export };
}
