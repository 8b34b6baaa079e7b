import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Condition } from 'chancery';
import { isConflict, isNotFound, objectKey, rfc3339 } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import { runNow, runSteps } from '../cluster/steps.ts';
import { isObject, valueAt, withFields } from '../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { internalWrite } from '../request/options.ts';
import { updateObject } from '../verbs/writes/update.ts';
import { DEFINITIONS, specOf } from './definition.ts';
import { withConditions } from './definition-conditions.ts';

/** The resource name of StorageVersionMigrations. */
const MIGRATIONS: ResourceName = 'storageversionmigrations.storagemigration.k8s.io';

/** The field manager that writes migrated objects, as in kube-controller-manager. */
const MIGRATOR = 'storage-version-migrator-controller';
/** The field manager that writes the condition and the stored versions of a definition. */
const RUNNER = 'migration-runner-controller';

/**
 * Carries out StorageVersionMigrations: writes every object of a resource again, in the current storage
 * version (kubernetes/kubernetes, pkg/controller/storageversionmigrator). Migrations of one resource run one
 * at a time, oldest first. After a restart of the server, an unfinished migration begins again, and skips
 * objects that are already stored in the current version.
 */
export class StorageMigrations {
  readonly #cluster: Cluster;
  /** Resources that are being migrated. */
  readonly #running = new Set<ResourceName>();
  #ended = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** @returns a function that ends the migrations. A running migration stops before its next object. */
  start(): () => void {
    const end = this.#cluster.storage.subscribe((resource, { type, object }) => {
      if (resource === MIGRATIONS && type !== 'DELETED') this.#begin(resourceOf(object));
    });
    return () => {
      this.#ended = true;
      end();
    };
  }

  #begin(resource: ResourceName): void {
    const next = this.#nextOf(resource);
    if (this.#ended || next === undefined || this.#running.has(resource)) return;
    this.#running.add(resource);
    // The migration starts later, because a subscriber must not write before the current write is
    // finished.
    setImmediate(() => {
      void this.#carryOut(resource, next.metadata.name).finally(() => {
        this.#running.delete(resource);
        this.#begin(resource);
      });
    });
  }

  /** The oldest unfinished migration of a resource. */
  #nextOf(resource: ResourceName): StoredObject | undefined {
    const { storage } = this.#cluster;
    const age = ({ metadata }: StoredObject): string =>
      `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
    return storage
      .list(MIGRATIONS)
      .filter((one) => resourceOf(one) === resource && !hasEnded(one))
      .toSorted((a, b) => age(a).localeCompare(age(b)))[0];
  }

  async #carryOut(resource: ResourceName, name: string): Promise<void> {
    const served = this.#cluster.registry.byName(resource);
    if (served === undefined) {
      this.#report(name, 'Failed', 'StorageVersionMigrationFailed', 'resource not found');
      return;
    }
    const generation = this.#mark(resource, {
      status: 'True',
      reason: 'MigrationRunning',
      message: `Migration ${name} is running`,
    });
    this.#report(name, 'Running', 'MigrationRunning', 'The migration is running');
    const succeeded = await this.#migrateAll(served);
    if (this.#ended) return;
    if (!succeeded) {
      this.#mark(resource, {
        status: 'False',
        reason: 'MigrationFailed',
        message: 'The migration has failed',
      });
      const why = 'migration encountered unhandled error';
      this.#report(name, 'Failed', 'StorageVersionMigrationFailed', why);
      return;
    }
    this.#finish(resource, generation);
    this.#report(name, 'Succeeded', 'StorageVersionMigrationSucceeded', '');
  }

  async #migrateAll(served: ServedResource): Promise<boolean> {
    const { storage } = this.#cluster;
    for (const { metadata } of storage.list(served.storedAs)) {
      await yieldToEventLoop();
      if (this.#ended) return false;
      const { namespace, name } = metadata;
      const change = (live: StoredObject): { object: StoredObject } => ({ object: live });
      try {
        const target = { served, namespace, name };
        await runSteps(updateObject(this.#cluster, target, change, internalWrite(MIGRATOR)));
      } catch (error) {
        // The object has since been deleted or changed, so it does not have to be migrated any more.
        if (!isNotFound(error) && !isConflict(error)) return false;
      }
    }
    return true;
  }

  /**
   * Marks the definition of a resource as migrating.
   * @returns the generation of the definition; undefined for a built-in resource.
   */
  #mark(
    resource: ResourceName,
    condition: Pick<Condition, 'status' | 'reason' | 'message'>,
    change: (definition: StoredObject) => StoredObject = (definition) => definition,
  ): number | undefined {
    const { storage, registry, clock } = this.#cluster;
    const definition = storage.get(DEFINITIONS, objectKey(undefined, resource));
    const served = registry.byName(DEFINITIONS);
    if (definition === undefined || served === undefined) return undefined;
    const { generation } = definition.metadata;
    const whole = { type: 'StorageMigrating', ...condition };
    const target = { served, namespace: undefined, name: resource };
    runNow(
      updateObject(
        this.#cluster,
        target,
        (live) => ({ object: change(withConditions(live, [whole], clock.now())) }),
        internalWrite(RUNNER, 'status'),
      ),
    );
    return generation;
  }

  /**
   * Removes all versions except the storage version from `status.storedVersions`, unless the definition has
   * changed since the migration began.
   */
  #finish(resource: ResourceName, generation: number | undefined): void {
    const { storage } = this.#cluster;
    const definition = storage.get(DEFINITIONS, objectKey(undefined, resource));
    const unchanged = definition?.metadata.generation === generation;
    const message = unchanged
      ? 'The migration has succeeded and the stored versions have been updated'
      : 'The migration has succeeded but the stored versions have not been updated due to a generation mismatch';
    const condition = { status: 'False', reason: 'MigrationSucceeded', message } as const;
    this.#mark(resource, condition, unchanged ? withOneVersion : undefined);
  }

  #report(name: string, type: string, reason: string, message: string): void {
    const { registry, storage, clock } = this.#cluster;
    const served = registry.byName(MIGRATIONS);
    if (served === undefined || storage.get(MIGRATIONS, objectKey(undefined, name)) === undefined) {
      return;
    }
    const lastTransitionTime = rfc3339(clock.now());
    const condition = { type, status: 'True', lastTransitionTime, reason, message };
    const change = (live: StoredObject): { object: StoredObject } => {
      const status = isObject(live.status) ? live.status : {};
      // A final condition replaces `Running`.
      const others = conditionsOf(live).filter(
        (one) => one.type !== type && one.type !== 'Running',
      );
      return {
        object: withFields(live, { status: { ...status, conditions: [...others, condition] } }),
      };
    };
    const target = { served, namespace: undefined, name };
    runNow(updateObject(this.#cluster, target, change, internalWrite(MIGRATOR, 'status')));
  }
}

function withOneVersion(definition: StoredObject): StoredObject {
  const stored = specOf(definition).versions.find((version) => version.storage)?.name;
  const status = { ...(definition.status as object), storedVersions: [stored] };
  return withFields(definition, { status });
}

function resourceOf(migration: StoredObject): ResourceName {
  const { group = '', resource = '' } = (valueAt(migration, ['spec', 'resource']) ?? {}) as {
    readonly group?: string;
    readonly resource?: string;
  };
  return group === '' ? resource : `${resource}.${group}`;
}

function conditionsOf(migration: StoredObject): readonly Condition[] {
  const conditions = valueAt(migration, ['status', 'conditions']);
  return Array.isArray(conditions) ? (conditions as Condition[]) : [];
}

function hasEnded(migration: StoredObject): boolean {
  return conditionsOf(migration).some(
    ({ type, status }) => (type === 'Succeeded' || type === 'Failed') && status === 'True',
  );
}
