import { configMap } from '@chancery/testing';
import { expect, test } from 'vitest';
import { applyChildren, byIdentity } from '../../operator/composite/apply-children.ts';
import { childTypes } from '../../operator/composite/child-types.ts';
import type { PlannedChild } from '../../operator/composite/engine-options.ts';
import { applyWriter } from '../../operator/controller/children/apply-writer.ts';
import { HotLoops } from '../../operator/controller/children/hot-loops.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';

const [type] = childTypes([configMaps]);
const parent = configMap('parent', { namespace: 'n' });

function apply(
  planned: readonly PlannedChild[],
  of: ReturnType<typeof observed>,
  context: ReconcileContext,
) {
  const write = { owner: parent, ownerResource: configMaps, context };
  const applying = {
    writer: applyWriter({ fieldManager: 'test' }),
    write,
    hotLoops: new HotLoops(),
    inputs: () => '',
  };
  return applyChildren(planned, byIdentity([configMaps], of), applying);
}

function observed(...names: readonly string[]) {
  const objects = names.map((name) => {
    const object = configMap(name, { namespace: 'n' });
    return { ...object, metadata: { ...object.metadata, uid: `uid-${name}` } };
  });
  return new Map([['configmaps', objects]]);
}

function contextThat(remove: (name: string, options: unknown) => Promise<void>): ReconcileContext {
  return {
    client: {
      delete: (_resource: unknown, { name }: { name: string }, options: unknown) =>
        remove(name, options),
    },
    store: () => ({ get: () => undefined }),
    log: { info: () => {}, warn: () => {}, debug: () => {}, error: () => {} },
  } as unknown as ReconcileContext;
}

test('[contract 57] [K-45] a child is deleted by its uid, so that a recreated child is not deleted', async () => {
  const deletes: unknown[] = [];
  const context = contextThat(async (name, options) => void deletes.push([name, options]));

  await apply([], observed('a'), context);

  expect(deletes).toEqual([
    ['a', { preconditions: { uid: 'uid-a' }, propagationPolicy: 'Background' }],
  ]);
});

test('[contract 58] deleting a child that is already gone succeeds, but a refused delete is an error', async () => {
  const gone = contextThat(async () => {
    throw new ApiError({ code: 404, reason: 'NotFound', message: 'gone', details: { name: 'a' } });
  });
  const refused = contextThat(async () => {
    throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no' });
  });

  await expect(apply([], observed('a'), gone)).resolves.toBeUndefined();
  await expect(apply([], observed('a'), refused)).rejects.toThrow('403 Forbidden');
});

test('no child is deleted while another child cannot be created', async () => {
  const deletes: string[] = [];
  const context = {
    ...contextThat(async (name) => void deletes.push(name)),
    applyOwned: () => Promise.reject(new Error('refused')),
  } as ReconcileContext;
  const object = { metadata: { name: 'new', namespace: 'n' } };
  const planned = { resource: configMaps, object, type, identity: 'new' } as PlannedChild;

  const bringing = apply([planned], observed('old'), context);

  await expect(bringing).rejects.toThrow('refused');
  expect(deletes).toEqual([]);
});
