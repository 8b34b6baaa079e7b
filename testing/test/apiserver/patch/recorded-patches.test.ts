/** Patches that a real v1.36 API server answered, replayed one by one. */

import { parseYaml } from 'chancery/low-level';
import { describe, expect, test } from 'vitest';
import { type JsonObject, withoutField } from '../../../src/apiserver/objects/json-value.ts';
import { serverSideApply } from '../../../src/apiserver/patch/apply/server-side-apply.ts';
import { applyJsonPatch } from '../../../src/apiserver/patch/json/json-patch.ts';
import { applyMergePatch } from '../../../src/apiserver/patch/json/merge-patch.ts';
import type { ManagedFieldsEntry } from '../../../src/apiserver/patch/managers/managed-fields-entry.ts';
import { recordUpdate } from '../../../src/apiserver/patch/managers/record-update.ts';
import { applyStrategicMergePatch } from '../../../src/apiserver/patch/strategic/strategic-merge-patch.ts';
import { type RecordedExchange, recordedExchanges } from './recorded-exchanges.ts';

const PATCHES = recordedExchanges('patches');
const APPLY = 'application/apply-patch+yaml';
const WRITER = 'operator-recording';

function exchange(id: number): RecordedExchange {
  return PATCHES.find((one) => one.id === id) ?? expect.unreachable(`exchange ${id}`);
}

function metadataOf(object: JsonObject): JsonObject & { managedFields?: ManagedFieldsEntry[] } {
  return object.metadata as JsonObject & { managedFields?: ManagedFieldsEntry[] };
}

function managedFieldsOf(object: JsonObject): readonly ManagedFieldsEntry[] {
  return metadataOf(object).managedFields ?? [];
}

/** What a write by a client can change: the controllers' annotations and status come and go. */
function writable(object: JsonObject): JsonObject {
  const { labels, annotations } = metadataOf(object);
  const own = withoutField((annotations ?? {}) as JsonObject, 'deployment.kubernetes.io/revision');
  return { labels, annotations: own, spec: object.spec, data: object.data };
}

function stateBefore(id: number): JsonObject {
  const { path } = exchange(id);
  const isOfObject = (one: RecordedExchange): boolean =>
    one.id < id && one.status < 300 && one.answer.kind !== 'Scale' && sameObject(one.path, path);
  return PATCHES.findLast(isOfObject)?.answer ?? exchange(1).answer;
}

/** The state with the annotation and status that the Deployment controller had written by then. */
function withControllersWrites(state: JsonObject, answer: JsonObject): JsonObject {
  const revision = 'deployment.kubernetes.io/revision';
  const annotations = (metadataOf(state).annotations ?? {}) as JsonObject;
  const written = (metadataOf(answer).annotations ?? {}) as JsonObject;
  const metadata = {
    ...metadataOf(state),
    annotations: { ...annotations, [revision]: written[revision] },
  };
  return { ...state, metadata, status: answer.status };
}

function sameObject(left: string, right: string): boolean {
  const objectOf = (path: string): string => path.replace(/\?.*$/, '').replace(/\/status$/, '');
  return objectOf(left) === objectOf(right);
}

function patched(before: JsonObject, { contentType, body }: RecordedExchange): JsonObject {
  if (contentType.startsWith('application/json-patch')) {
    return applyJsonPatch(before, body as readonly JsonObject[]) as JsonObject;
  }
  if (contentType.startsWith('application/merge-patch')) {
    return applyMergePatch(before, body) as JsonObject;
  }
  return applyStrategicMergePatch(before, body as JsonObject, {
    apiVersion: String(before.apiVersion),
    kind: String(before.kind),
  }).merged;
}

describe('[F-8] recorded patches', () => {
  test.each([2, 3, 4, 5, 8])('the patch of exchange %i results in the recorded object', (id) => {
    const before = withControllersWrites(stateBefore(id), exchange(id).answer);

    const after = patched(before, exchange(id));

    expect(writable(after)).toEqual(writable(exchange(id).answer));
  });

  test.each([6, 7])('the patch of exchange %i is refused with the recorded message', (id) => {
    const { answer } = exchange(id);

    expect(() => patched(stateBefore(id), exchange(id))).toThrow(
      expect.objectContaining({
        status: answer.code,
        reason: answer.reason,
        message: `${answer.code} ${answer.reason}: ${answer.message}`,
        details: answer.details,
      }),
    );
  });

  test.each([
    2, 3, 4, 5, 8, 30,
  ])('after the patch of exchange %i, the field owner is the recorded owner', (id) => {
    const { answer, path } = exchange(id);
    const [entry] = managedFieldsOf(answer).filter(isOf(path));
    const before = stateBefore(id);

    const managedFields = recordUpdate({
      before: path.endsWith('/status') ? before : withControllersWrites(before, answer),
      after: answer,
      manager: WRITER,
      apiVersion: 'apps/v1',
      subresource: path.endsWith('/status') ? 'status' : '',
      time: entry?.time ?? '',
    });

    expect(managedFields.filter(isOf(path))).toEqual([entry]);
  });
});

function isOf(path: string): (entry: ManagedFieldsEntry) => boolean {
  const subresource = path.endsWith('/status') ? 'status' : undefined;
  return (entry) => entry.manager === WRITER && entry.subresource === subresource;
}

const APPLIES = PATCHES.filter(
  ({ path, contentType, status }) =>
    contentType === APPLY && path.includes('fieldManager=') && (status < 300 || status === 409),
).filter(({ id }) => id !== 20); // a resourceVersion is checked before anything is merged

describe('[F-8] recorded applies', () => {
  test.each(
    APPLIES.map((one) => [one.id, one] as const),
  )('the apply of exchange %i has the recorded result', (id, { path, body, status, answer }) => {
    const query = new URL(path, 'http://server').searchParams;
    const live = status === 201 ? undefined : stateBefore(id);
    const isSame = metadataOf(answer).resourceVersion === metadataOf(live ?? {})?.resourceVersion;
    const apply = (): unknown =>
      serverSideApply({
        live,
        applied: (body ?? YAML_BODY) as JsonObject,
        manager: query.get('fieldManager') ?? '',
        force: query.get('force') === 'true',
        apiVersion: path.startsWith('/api/') ? 'v1' : 'apps/v1',
        subresource: '',
        // No time is written where nothing changed.
        time: isSame ? 'not written' : (managedFieldsOf(answer)[0]?.time ?? ''),
      });

    if (status === 409) {
      expect(apply).toThrow(
        expect.objectContaining({
          status: 409,
          message: `409 Conflict: ${answer.message}`,
          details: answer.details,
        }),
      );
      return;
    }
    const { object, managedFields } = apply() as ReturnType<typeof serverSideApply>;
    expect(managedFields).toEqual(managedFieldsOf(answer));
    if (live !== undefined) expect(writable(object)).toEqual(writable(answer));
  });
});

const YAML_BODY = parseYaml(
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  yaml: "true"\n',
);

describe('the owners of created objects', () => {
  // What the server adds by itself is in these answers, and owned by nobody.
  const ADDED_BY_SERVER = ['Pod', 'PodDisruptionBudget'];
  const CREATES = ['patches', 'kubectl-session', 'rollout', 'deletion']
    .flatMap((name) => recordedExchanges(name).map((one) => [`${name} ${one.id}`, one] as const))
    .filter(
      ([, { method, status, answer }]) => method === 'POST' && status === 201 && answer.metadata,
    )
    .filter(([, { answer }]) => !ADDED_BY_SERVER.includes(String(answer.kind)))
    .filter(([, { answer }]) => managedFieldsOf(answer).length > 0);

  test.each(
    CREATES,
  )('the managedFields of the object created in %s equal the recorded managedFields', (_name, {
    answer,
  }) => {
    const [entry] = managedFieldsOf(answer);

    const managedFields = recordUpdate({
      before: undefined,
      after: { ...answer, metadata: withoutField(metadataOf(answer), 'managedFields') },
      manager: entry?.manager ?? '',
      apiVersion: entry?.apiVersion ?? '',
      subresource: '',
      time: entry?.time ?? '',
    });

    expect(managedFields).toEqual(managedFieldsOf(answer));
  });
});
