import { nodeCrypto } from '../../core/builtin-modules.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { Condition } from '../../model/condition.ts';
import {
  type CustomResourceDefinition,
  DEFINITION_REVISION,
  type DefinedResource,
  type DefinitionSpec,
} from '../../model/custom-resource-definition.ts';

/** A definition as the API server returns it. */
export interface LiveDefinition extends Omit<CustomResourceDefinition, 'apiVersion' | 'kind'> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly status?: {
    readonly conditions?: readonly Condition[] | null;
    /** Every version in which objects may still be stored. */
    readonly storedVersions?: readonly string[];
  };
}

/** What has to be done with a definition. */
export type DefinitionVerdict =
  /** The API server has the same definition. */
  | { readonly step: 'nothing' }
  /** The API server has a newer definition, which is kept. */
  | { readonly step: 'keep' }
  | { readonly step: 'install' | 'upgrade'; readonly object: LiveDefinition };

/**
 * Annotation with the digests of all definitions that this one and its predecessors replaced, oldest first.
 * If a release finds the digest of its own definition there, that definition is older than the installed one.
 */
const SUPERSEDED_DEFINITIONS: string = 'chancery.dev/superseded-definitions';

/**
 * The maximum number of digests in the annotation. All annotations of an object together may have 256 KiB. A
 * replica that is fifty releases old is not expected.
 */
const MAX_SUPERSEDED = 50;

/**
 * Compares the declared definition with the one that the API server has.
 *
 * If the two differ, the definition with the higher `revision` is newer. With equal revisions, or none, the
 * definition that replaced the other one is newer. So an old replica that restarts during an update, or
 * continues to run after it, never reverts what the new release installed. To return to an earlier
 * definition, raise its revision.
 *
 * @throws ConfigurationError `CONFIG` when the installed definition cannot become the declared one, when a
 *   newer installed definition does not serve the declared version, or when the declared definition needs a
 *   conversion webhook and none is installed.
 */
export function judgeDefinition(
  { definition, version }: Pick<DefinedResource, 'definition' | 'version'>,
  live: LiveDefinition | undefined,
): DefinitionVerdict {
  if (live === undefined) return { step: 'install', object: applicable(definition, live) };
  const digest = digestOf(definition.spec);
  const liveDigest = digestOf(live.spec);
  const ahead = revisionOf(definition) - revisionOf(live);
  if (digest === liveDigest && ahead <= 0) {
    applicable(definition, live);
    return { step: 'nothing' };
  }
  const superseded = supersededBy(live);
  if (ahead < 0 || (ahead === 0 && superseded.includes(digest))) {
    refuseUnservedVersion(live, version);
    return { step: 'keep' };
  }
  refuseImpossible(definition, live);
  const history = [...superseded.filter((one) => one !== digest), liveDigest];
  const object = replacing(applicable(definition, live), live, history, digest);
  return { step: 'upgrade', object };
}

/**
 * The definition, without the `conversion` block if the conversion webhook has no address. Only generated
 * manifests contain the address. If the block is missing here, the installed definition keeps the block that
 * it has.
 *
 * @throws ConfigurationError `CONFIG` when the definition needs a conversion webhook and the installed one
 *   has none. Without the webhook, objects would lose the fields that a client's version does not have.
 */
function applicable(
  definition: CustomResourceDefinition,
  live: LiveDefinition | undefined,
): CustomResourceDefinition {
  const { conversion, ...spec } = definition.spec;
  const { service, url } = conversion?.webhook.clientConfig ?? {};
  if (conversion === undefined || service !== undefined || url !== undefined) {
    return definition;
  }
  if (live?.spec.conversion?.strategy === 'Webhook') return { ...definition, spec };
  throw new ConfigurationError(
    'objects are converted by a webhook, and only manifests name its Service: apply the definition of the generated manifests once',
    { context: { definition: definition.metadata.name } },
  );
}

/**
 * The object to write contains uid and resourceVersion, so that the write fails if another replica has
 * written meanwhile.
 */
function replacing(
  definition: CustomResourceDefinition,
  { metadata: { uid, resourceVersion } }: LiveDefinition,
  history: readonly string[],
  digest: string,
): LiveDefinition {
  const others = [...new Set(history)].filter((one) => one !== digest).slice(-MAX_SUPERSEDED);
  return {
    ...definition,
    metadata: {
      ...definition.metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      annotations: {
        ...definition.metadata.annotations,
        ...(others.length === 0 ? {} : { [SUPERSEDED_DEFINITIONS]: others.join(',') }),
      },
    },
  };
}

function refuseImpossible(definition: CustomResourceDefinition, live: LiveDefinition): void {
  const { name } = definition.metadata;
  const { scope, names, versions } = definition.spec;
  if (live.spec.scope !== scope || live.spec.names.kind !== names.kind) {
    throw new ConfigurationError(
      'a definition keeps its scope and its kind: give the resource another plural or group, or delete the definition, and all objects with it, by hand',
      { context: { definition: name, scope: live.spec.scope, kind: live.spec.names.kind } },
    );
  }
  const names_ = new Set(versions.map((version) => version.name));
  const lost = (live.status?.storedVersions ?? []).filter((version) => !names_.has(version));
  if (lost.length === 0) return;
  throw new ConfigurationError(
    'objects may still be stored in a version that the definition drops: declare it in otherVersions, with served: false, until `chancery migrate` has had every object written again and status.storedVersions does not name it',
    { context: { definition: name, versions: lost.join(',') } },
  );
}

function refuseUnservedVersion(live: LiveDefinition, version: string): void {
  if (live.spec.versions.some(({ name, served }) => name === version && served)) return;
  throw new ConfigurationError(
    'a newer definition is installed, which does not serve the version that this release uses: update the operator',
    { context: { definition: live.metadata.name, version } },
  );
}

function revisionOf({ metadata }: Pick<LiveDefinition, 'metadata'>): number {
  const revision = Number(metadata.annotations?.[DEFINITION_REVISION] ?? -1);
  return Number.isSafeInteger(revision) ? revision : -1;
}

function supersededBy({ metadata }: LiveDefinition): readonly string[] {
  return (metadata.annotations?.[SUPERSEDED_DEFINITIONS] ?? '').split(',').filter(Boolean);
}

/**
 * The digest covers only the fields that a declaration sets. Other fields, such as `conversion`, may differ.
 */
function digestOf({ group, names, scope, versions }: DefinitionSpec): string {
  const text = JSON.stringify({ group, names, scope, versions }, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return nodeCrypto().createHash('sha256').update(text).digest('hex').slice(0, 16);
}
