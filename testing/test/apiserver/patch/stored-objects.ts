import type { JsonObject } from '../../../src/apiserver/objects/json-value.ts';
import { serverSideApply } from '../../../src/apiserver/patch/apply/server-side-apply.ts';
import type { ManagedFieldsEntry } from '../../../src/apiserver/patch/managers/managed-fields-entry.ts';
import { recordUpdate } from '../../../src/apiserver/patch/managers/record-update.ts';

const NOON = '2026-11-21T12:00:00Z';
export const LATER = '2026-11-21T13:00:00Z';

interface Write {
  readonly manager?: string;
  readonly force?: boolean;
  readonly time?: string;
  readonly schema?: JsonObject;
  readonly subresource?: string;
  readonly ignoredFields?: readonly (readonly string[])[];
}

/** The object as it is stored after an apply. */
export function applied(
  live: JsonObject | undefined,
  config: JsonObject,
  write: Write = {},
): JsonObject {
  const { object, managedFields } = serverSideApply({
    live,
    applied: config,
    manager: 'one',
    force: false,
    subresource: '',
    time: NOON,
    apiVersion: String(config.apiVersion),
    ...write,
  });
  return stored(object, managedFields);
}

/** The object as it is stored after an update. */
export function updated(
  before: JsonObject | undefined,
  after: JsonObject,
  write: Write = {},
): JsonObject {
  const managedFields = recordUpdate({
    before,
    after,
    manager: 'editor',
    subresource: '',
    time: NOON,
    apiVersion: String(after.apiVersion),
    ...write,
  });
  return stored(after, managedFields);
}

function stored(object: JsonObject, managedFields: readonly ManagedFieldsEntry[]): JsonObject {
  const uid = 'uid-1';
  return { ...object, metadata: { ...(object.metadata as object), uid, managedFields } };
}

/** What each manager owns in the stored object, by manager and operation. */
export function owners(object: JsonObject): Readonly<Record<string, unknown>> {
  const { managedFields } = object.metadata as { managedFields: readonly ManagedFieldsEntry[] };
  return Object.fromEntries(
    managedFields.map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, fieldsV1]),
  );
}

export function configMap(data: JsonObject, metadata: object = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', ...metadata }, data };
}

export function pod(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
}

export function website(spec: JsonObject): JsonObject {
  return { apiVersion: 'example.dev/v1', kind: 'Website', metadata: { name: 'w' }, spec };
}
