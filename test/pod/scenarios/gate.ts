/** The example website as its manifests ship it, behind its gate: the key of the webhooks is in one container. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { CertificateAuthority } from '../../../testing/src/apiserver/tls/certificate-authority.ts';
import { buildImage } from '../../images/support/build-image.ts';
import { stateOf, toolNamed } from '../../tools/tools.ts';
import type { ContainerSpec } from '../support/container-plan.ts';
import { exampleModule } from '../support/image.ts';
import { inOperator } from '../support/in-operator.ts';
import { PATIENCE, startWorld, type World } from '../support/world.ts';
import type { Place } from './place.ts';

const NAMESPACE = 'website';

export function gate({ means, images }: Place): void {
  const canBuild = stateOf(toolNamed('buildah')).state === 'found';

  const start = async (edit = (container: ContainerSpec) => container): Promise<World> => {
    const folder = await mkdtemp(join(tmpdir(), 'chancery-pod-gate-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const own = await exampleModule('website', images()['chancery-operator'], folder);
    const world = await startWorld({
      means,
      images: {
        ...images(),
        'website-operator': own,
        'chancery-gate': await buildImage('Dockerfile.gate'),
      },
      overlay: 'examples/website/manifests/overlays/namespaced',
      namespace: NAMESPACE,
      edit: (objects) => [...objects.map((each) => withOperator(each, edit)), certificate()],
    });
    onTestFinished(() => world.end());
    return world;
  };

  test.skipIf(!canBuild)(
    '[admission 12] an operator in a Pod with a running gate finds neither a key nor a token',
    { timeout: 300_000 },
    async () => {
      const { pod } = await start();
      await eventually(() => pod.isReady(), PATIENCE);
      const operator = pod.container('operator');

      const seen = JSON.parse(await inOperator(operator, 'look-around'));

      expect(seen).toMatchObject({ credentials: [], writable: [] });
      expect(seen.commands.filter((command: string) => /nginx|kubectl/.test(command))).toEqual([]);
      expect(pod.container('gate').isRunning).toBe(true);
      const said = operator.lines.filter((line) => /"level":"(warn|error)"/.test(line));
      expect(said).toEqual([]);
    },
  );

  test.skipIf(!canBuild)(
    "a search in the operator's container finds a key that is mounted there",
    { timeout: 300_000 },
    async () => {
      const { pod } = await start(({ volumeMounts = [], ...container }) => ({
        ...container,
        volumeMounts: [...volumeMounts, { name: 'gate-tls', mountPath: '/tls', readOnly: true }],
      }));
      await eventually(() => pod.isReady(), PATIENCE);

      const seen = JSON.parse(await inOperator(pod.container('operator'), 'look-around'));

      expect(seen.credentials).toContain('/tls/tls.key');
    },
  );
}

/** As cert-manager would make it. */
function certificate(): KubernetesObject {
  const { cert, key } = new CertificateAuthority().issue([`website-gate.${NAMESPACE}.svc`]);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls' },
    metadata: { name: 'website-gate-tls', namespace: NAMESPACE },
    ...{ data: { 'tls.crt': base64(cert), 'tls.key': base64(key) } },
  };
}

function withOperator(
  object: KubernetesObject,
  edit: (container: ContainerSpec) => ContainerSpec,
): KubernetesObject {
  if (object.kind !== 'Deployment') return object;
  const changed = structuredClone(object) as KubernetesObject & {
    readonly spec: { readonly template: { readonly spec: { containers: ContainerSpec[] } } };
  };
  const { spec } = changed.spec.template;
  spec.containers = spec.containers.map((each) => (each.name === 'operator' ? edit(each) : each));
  return changed;
}
