/** The ConfigMap `reloader-meta-info`, by which the original tells other programs how it runs. */
import process from 'node:process';
import {
  type Controller,
  controller,
  type GoneContext,
  objectKey,
  source,
  splitKey,
  type Target,
} from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import type { Options } from '../contract/options.ts';

const NAME = 'reloader-meta-info';
const LABELS = { 'reloader.stakater.com/meta-info': 'reloader' } as const;

/** May have a token in its URL. */
const SECRET_ARGUMENTS: ReadonlySet<string> = new Set(['webhook-url']);

/**
 * Writes the ConfigMap once when the process starts, and again when somebody deletes it. As in the original every
 * replica does so, leader or not.
 */
export function metaInfoController(
  { namespace, deployment }: NonNullable<Options['metaInfo']>,
  given: Options['given'],
): Controller {
  const key = objectKey(namespace, NAME);
  let hasWritten = false;
  const write = async (
    { name }: Pick<Target, 'name'>,
    { client }: Pick<GoneContext, 'client'>,
  ): Promise<void> => {
    const metadata = { name, namespace, labels: LABELS };
    const data = metaInfo({ name: deployment, namespace }, given);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as const;
    await client.apply(configMaps, object, { force: true });
    hasWritten = true;
  };
  return controller({
    name: 'reloader-meta-info',
    for: source(configMaps, {
      namespace: { name: namespace },
      fieldSelector: `metadata.name=${NAME}`,
      metadataOnly: true,
    }),
    // Writes go to this one name: an apply creates it, too.
    permissions: [{ resource: configMaps, verbs: ['create', 'patch'], resourceNames: [NAME] }],
    triggers: [{ run: async (enqueue) => enqueue([key]) }],
    needsLeaderElection: false,
    reconcile: ({ metadata }, context) => (hasWritten ? undefined : write(metadata, context)),
    gone: (key, context) => write(splitKey(key), context),
  });
}

/**
 * The three texts. There is no Go build to tell about: `goVersion` has the version of Node, and the fields about the
 * commit are empty, as in a build of the original without them.
 */
export function metaInfo(
  deploymentInfo: { readonly name: string; readonly namespace: string },
  given: Options['given'],
): Readonly<Record<'buildInfo' | 'reloaderOptions' | 'deploymentInfo', string>> {
  const buildInfo = {
    goVersion: `node ${process.version}`,
    releaseVersion: 'chancery',
    commitHash: '',
    commitTime: '0001-01-01T00:00:00Z', // how Go writes no time
    edition: 'oss',
  };
  const shown = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, SECRET_ARGUMENTS.has(name) ? '***' : value]);
  return {
    buildInfo: JSON.stringify(buildInfo),
    reloaderOptions: JSON.stringify(Object.fromEntries(shown)),
    deploymentInfo: JSON.stringify(deploymentInfo),
  };
}
