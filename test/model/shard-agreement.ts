import { configMap, startTestEnv } from '@chancery/testing';
import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { SLOTS, slotOf } from '../../operator/model/shard/field-hash.ts';
import { shardSelector } from '../../operator/model/shard/shard-selector.ts';

interface List {
  readonly metadata: { readonly shardInfo?: unknown };
  readonly items: readonly { readonly metadata: { readonly uid: string } }[];
}

/** Asks an API server for the objects of some slots, again and again: it must count the slots as the toolkit does. */
export async function expectAgreement(backend: 'embedded' | 'kubebuilder'): Promise<void> {
  const env = await startTestEnv({ backend, featureGates: { ShardedListAndWatch: true } });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  for (let at = 0; at < 40; at++) await env.create(configMap(`c-${at}`, { namespace }));
  const uids = (await env.list('v1', 'ConfigMap', namespace)).map(({ metadata }) => metadata.uid);
  const asked = async (selector: string): Promise<List> => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const query = new URLSearchParams({ shardSelector: selector });
    return (await fetch(`${env.url}${path}?${query}`)).json() as Promise<List>;
  };
  const slots = fc.uniqueArray(fc.nat({ max: SLOTS - 1 }), { minLength: 1 });

  await fc.assert(
    fc.asyncProperty(slots, async (chosen) => {
      const byUid = shardSelector('object.metadata.uid', chosen);
      const byNamespace = shardSelector('object.metadata.namespace', chosen);
      const [own, all] = [await asked(byUid), await asked(byNamespace)];

      expect(own.metadata.shardInfo).toEqual({ selector: byUid });
      expect(all.metadata.shardInfo).toEqual({ selector: byNamespace });
      expect(own.items.map(({ metadata }) => metadata.uid)).toEqual(
        uids.filter((uid = '') => chosen.includes(slotOf(uid))),
      );
      expect(all.items).toHaveLength(chosen.includes(slotOf(namespace)) ? uids.length : 0);
    }),
  );
}
