/**
 * `chancery metacontroller` in its Pod: behind the ambassador of the lane with the filter that is generated for its
 * controllers, as a ServiceAccount with the roles that are generated for them, and no more.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { FIRST_NAMESPACE } from '../../../../examples/testing/cluster.ts';
import { type Setup, startExample } from '../../../../examples/testing/place.ts';
import type { Place } from '../../../../examples/testing/started-place.ts';
import { parseYamlDocuments } from '../../../../operator/core/yaml.ts';
import type { KubernetesObject } from '../../../../operator/index.ts';
import { loadFunctionsFile } from '../../src/call/functions/load-functions-file.ts';
import {
  compositeControllers,
  controllerRevisions,
  decoratorControllers,
} from '../../src/definitions/resources.ts';
import {
  METACONTROLLER_DEFAULTS,
  type MetacontrollerOptions,
  metacontrollerRunnable,
} from '../../src/supervisor/metacontroller-runnable.ts';
import { declarationsFor } from './rights.ts';
import { hooked, type Mode, type Subject } from './subject.ts';
import type { WebhookServer } from './webhooks.ts';

export interface MetacontrollerSetup
  extends Partial<Omit<Setup, 'controllers' | 'runnables' | 'restarted' | 'started'>> {
  readonly subjects: readonly Subject[];
  /** Default `webhook`. */
  readonly mode?: Mode;
  /** Definitions of parents that are no files. */
  readonly definitions?: readonly KubernetesObject[];
  /** See `chancery metacontroller --help`. */
  readonly options?: Partial<MetacontrollerOptions>;
}

export interface MetacontrollerPlace extends Place {
  /** What decides in the mode `webhook`. */
  readonly server: WebhookServer;
  /** The controllers as they were applied. */
  readonly controllers: readonly KubernetesObject[];
}

/** Controllers in a cluster of the test's own. All in it ends with the test, which fails if anything was refused. */
export async function startMetacontroller(
  setup: MetacontrollerSetup,
): Promise<MetacontrollerPlace> {
  const { subjects, mode = 'webhook', definitions = [], options, stopped, ...others } = setup;
  const { objects, server, functions: path } = await hooked(subjects, mode);
  const functions = path === undefined ? undefined : await loadFunctionsFile(path);
  const runnableAt = (apiUrl: string) =>
    metacontrollerRunnable({
      ...METACONTROLLER_DEFAULTS,
      functions,
      apiUrl,
      ownPorts: () => [],
      environment: process.env,
      ...options,
    });
  const place = await startExample({
    name: 'metacontroller',
    ...others,
    ownCluster: true,
    controllers: [],
    runnables: [runnableAt('http://127.0.0.1:8001')],
    declarations: declarationsFor({
      controllers: objects,
      definitions: [...definitions, ...(setup.manifests ?? []).flatMap(documentsIn)],
      functions,
      ownNamespace: FIRST_NAMESPACE,
      applyStrategy: options?.applyStrategy ?? METACONTROLLER_DEFAULTS.applyStrategy,
    }),
    environment: { POD_NAMESPACE: FIRST_NAMESPACE, ...setup.environment },
    started: (url) => ({ controllers: [], runnables: [runnableAt(url)] }),
    stopped: true,
  });
  const own = [compositeControllers, decoratorControllers, controllerRevisions];
  for (const { definition } of own) await place.env.apply([definition as KubernetesObject]);
  await place.env.apply([...definitions]);
  await place.env.apply([...objects]);
  if (stopped !== true) place.startOperator();
  return Object.assign(place, { server, controllers: objects });
}

/** The objects of a file or a folder of manifests. */
export function documentsIn(manifest: URL): readonly unknown[] {
  const isFolder = manifest.href.endsWith('/');
  const files = isFolder
    ? readdirSync(manifest).map((name) => new URL(name, manifest))
    : [manifest];
  return files.flatMap((file) => parseYamlDocuments(readFileSync(file, 'utf8')));
}

/** For `eventually`, on a machine that others use, too. */
export const PATIENT = { timeoutMs: 30_000 };
