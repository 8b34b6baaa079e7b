/**
 * The slots of the toolkit on a real API server. It needs etcd, too, in the folder that KUBEBUILDER_ASSETS names.
 *
 * @module-tag kube-apiserver
 * @module-tag kubectl
 */
import { test } from 'vitest';
import { expectAgreement } from './shard-agreement.ts';

test('[sharding 1] [sharding 2] a real API server hashes fields, and formats shard selectors, like the toolkit', async () => {
  await expectAgreement('kubebuilder');
}, 180_000);
