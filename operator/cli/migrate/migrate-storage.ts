import type { Client } from '../../client/client.ts';
import { discoverExactly } from '../../client/discovery.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import { customResourceDefinitions } from '../../model/builtin.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { defineResource, type Resource } from '../../model/resource.ts';
import { isAlreadyExists, isConflict } from '../../model/status.ts';
import {
  MIGRATION_VERSIONS,
  type StorageVersionMigration,
  storageMigration,
  storageMigrations,
} from '../../model/storage-migration.ts';
import type { Transport } from '../../transport/transport.ts';

interface Surroundings {
  /** A client with the rights of an administrator. */
  readonly client: Client;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Receives a line about each step. */
  readonly print: (line: string) => void;
}

/** A definition, with the fields that a migration reads. */
interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
    }[];
  };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

const DEFINITIONS = customResourceDefinitions as Resource as Resource<Definition>;

/**
 * The resource StorageVersionMigration in one API version. Undefined when the API server does not
 * serve this resource.
 */
type Migrations = Resource<StorageVersionMigration> | undefined;

/**
 * The annotation in which a migration stores the generation that the definition had when the
 * migration was created. If the definition has changed since then, objects may have been stored in
 * another version.
 */
const GENERATION = 'chancery.dev/definition-generation';

const POLL_MS = 1_000;

/**
 * Migrates the objects of a definition. Resolves when its `status.storedVersions` contains only its
 * storage version. It reads the cluster before each step and keeps no state, so it can be stopped
 * at any time, and called again.
 *
 * @throws ConfigurationError `CONFIG` when there is no such definition.
 * @throws OperatorError `API_STATUS` when the control plane reports that the migration has failed.
 * @throws ApiError, AmbassadorError, ProtocolError in the same cases as the client.
 * @throws `signal.reason` when aborted.
 */
export async function migrateStorage(name: string, around: Surroundings): Promise<void> {
  const { clock, signal, print } = around;
  const migrations = await servedMigrations(around);
  const printed = new Set<string>();
  const once = (line: string): void => {
    if (!printed.has(line)) print(line);
    printed.add(line);
  };
  let created: string | undefined;
  for (;;) {
    const definition = await definitionOf(name, around);
    const target = storageVersionOf(definition);
    if (others(definition, target).length === 0) {
      return print(`${name}: all objects are stored in ${target}`);
    }
    once(`${name}: objects may be stored in ${others(definition, target).join(', ')}`);
    if (migrations === undefined) {
      await rewrite(definition, around);
      await prune(definition, around);
      continue;
    }
    const step = await next(definition, { migrations, created }, around);
    if (step.created !== undefined) created = step.created;
    once(`${storageMigration(name, target).metadata.name}: ${step.line}`);
    await sleep(clock, POLL_MS, signal);
  }
}

async function servedMigrations({ transport, clock, signal }: Surroundings): Promise<Migrations> {
  for (const version of MIGRATION_VERSIONS) {
    const resource = storageMigrations(version);
    if ((await discoverExactly(transport, resource, { clock, signal })) !== undefined) {
      return resource;
    }
  }
  return undefined;
}

async function definitionOf(name: string, { client, signal }: Surroundings): Promise<Definition> {
  const definition = await client.find(DEFINITIONS, { name }, { signal });
  if (definition !== undefined) return definition;
  throw new ConfigurationError('there is no such definition', { context: { definition: name } });
}

function storageVersionOf({ metadata, spec }: Definition): string {
  const stored = spec.versions.find(({ storage }) => storage);
  if (stored !== undefined) return stored.name;
  const context = { definition: metadata.name };
  throw new ConfigurationError('the definition has no storage version', { context });
}

/** The versions in which objects may be stored, without the storage version. */
function others({ status }: Definition, target: string): readonly string[] {
  return (status?.storedVersions ?? []).filter((version) => version !== target);
}

interface Step {
  readonly line: string;
  /** The uid of a migration that was created. */
  readonly created?: string | undefined;
}

/**
 * Reads the state of the migration, and does what it requires next: create, wait, finish or delete.
 */
async function next(
  definition: Definition,
  {
    migrations,
    created,
  }: { readonly migrations: NonNullable<Migrations>; readonly created: string | undefined },
  around: Surroundings,
): Promise<Step> {
  const { client, signal } = around;
  const wanted = wantedMigration(definition, migrations.version);
  const { name } = wanted.metadata;
  const found = await client.find(migrations, { name }, { signal });
  if (found === undefined) return create(migrations, wanted, around);
  const { uid } = found.metadata;
  const failed = condition(found, 'Failed');
  if (failed !== undefined && uid === created) {
    throw new OperatorError(
      `the migration has failed: ${failed}: start it again when that is mended`,
      {
        ...{ code: 'API_STATUS', layer: 'api-server', context: { migration: name } },
      },
    );
  }
  const isCurrent =
    found.metadata.annotations?.[GENERATION] === wanted.metadata.annotations?.[GENERATION];
  const succeeded = condition(found, 'Succeeded');
  if (failed === undefined && succeeded === undefined)
    return { line: 'the control plane works on it' };
  if (succeeded !== undefined && isCurrent) {
    await prune(definition, around);
    return { line: 'all objects have been written' };
  }
  await client.delete(migrations, { name }, { preconditions: { uid }, signal });
  return {
    line: `${failed === undefined ? 'is older than the definition' : 'had failed'}, and is made again`,
  };
}

function wantedMigration(definition: Definition, version: string): StorageVersionMigration {
  const { name, generation } = definition.metadata;
  const migration = storageMigration(name, storageVersionOf(definition), version);
  const annotations = { [GENERATION]: String(generation) };
  return { ...migration, metadata: { ...migration.metadata, annotations } };
}

async function create(
  migrations: NonNullable<Migrations>,
  wanted: StorageVersionMigration,
  { client, signal }: Surroundings,
): Promise<Step> {
  try {
    const { metadata } = await client.create(migrations, wanted, { signal });
    return { line: 'created', created: metadata.uid };
  } catch (error) {
    if (isAlreadyExists(error)) return { line: 'exists already' };
    throw error;
  }
}

/** The message of the condition. Undefined unless the condition is true. */
function condition({ status }: StorageVersionMigration, type: string): string | undefined {
  const found = status?.conditions?.find((each) => each.type === type && each.status === 'True');
  return found && (found.message || found.reason || type);
}

/**
 * Removes all versions except the storage version from `status.storedVersions`, unless the
 * definition has changed in the meantime.
 */
async function prune(
  { metadata, ...definition }: Definition,
  { client, signal }: Surroundings,
): Promise<void> {
  const { name, generation } = metadata;
  const live = await client.get(DEFINITIONS, { name }, { signal });
  if (live.metadata.generation !== generation) return;
  const storedVersions = [storageVersionOf({ metadata, ...definition })];
  const body = {
    metadata: { resourceVersion: live.metadata.resourceVersion },
    status: { storedVersions },
  };
  try {
    const options = { subresource: 'status', signal };
    await client.patch(DEFINITIONS, { name }, { type: 'merge', body }, options);
  } catch (error) {
    if (!isConflict(error)) throw error; // the control plane may have done the same
  }
}

/**
 * Writes each object unchanged. The API server stores an object again if it is stored in another
 * version.
 */
async function rewrite(
  { spec, ...definition }: Definition,
  { client, signal, print }: Surroundings,
): Promise<void> {
  const target = storageVersionOf({ spec, ...definition });
  const served = spec.versions.filter((version) => version.served).map(({ name }) => name);
  const version = served.includes(target) ? target : (served[0] ?? target);
  const { plural, kind } = spec.names;
  const namespaced = spec.scope === 'Namespaced';
  const resource = defineResource({ group: spec.group, version, plural, kind, namespaced });
  const objects = await client.list(resource, { signal });
  for (const { metadata } of objects) {
    const { uid, resourceVersion } = metadata;
    const body = { metadata: { uid, resourceVersion } };
    try {
      await client.patch(resource, metadata, { type: 'merge', body }, { signal });
    } catch (error) {
      // In the meantime another client has written or deleted the object.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
  print(`${definition.metadata.name}: ${objects.length} objects written`);
}
