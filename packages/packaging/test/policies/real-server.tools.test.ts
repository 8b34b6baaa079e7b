/**
 * The generated policies on a real API server. It needs etcd, too, in the folder that KUBEBUILDER_ASSETS names.
 *
 * @module-tag kubectl
 * @module-tag kube-apiserver
 * @module-tag kube-controller-manager
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, startTestEnv, type TestEnv } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../../../../test/tools/tools.ts';
import { policyObjects } from '../../src/command.ts';
import { beds, DECLARED, gardens, OPTIONS, send, startGarden, type Write } from './garden.ts';
import { goodWrites } from './good-writes.ts';
import { hostileWrites } from './hostile-writes.ts';
import { BEFORE, GOOD, hostileLeases, SHARED } from './set-leases.ts';

const ROOT = new URL('../../../../', import.meta.url);
const POLICIES = 'admissionregistration.k8s.io/v1';

/** The folders of an example that has policies, as YAML or not. */
const FOLDERS: readonly string[] = [
  'manifests',
  ...readdirSync(new URL('examples/', ROOT)).map((name) => `examples/${name}/manifests`),
].filter((folder) => existsSync(new URL(`${folder}/policies/`, ROOT)));

function manifestsIn(folder: string): readonly URL[] {
  const url = new URL(folder, ROOT);
  const names = existsSync(url) ? readdirSync(url) : [];
  return names.filter((name) => name !== 'kustomization.yaml').map((name) => new URL(name, url));
}

/** Until the test ends: the controller that checks the types of policies. */
async function startTypeChecks(url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-controllers-'));
  const args = [
    `--master=${url}`,
    '--controllers=validatingadmissionpolicy-status-controller',
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${await freePort()}`,
    `--cert-dir=${folder}`,
  ];
  const child = spawn(pathOf('kube-controller-manager'), args, { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });
}

/** What the server says about the types of a policy, once it has looked at its last version. */
function warningsOf(env: TestEnv, name: string): Promise<readonly unknown[]> {
  return eventually(
    async () => {
      const kind = 'ValidatingAdmissionPolicy';
      const policy = (await env.get(POLICIES, kind, undefined, name)) as unknown as {
        readonly metadata: { readonly generation: number };
        readonly status?: {
          readonly observedGeneration?: number;
          readonly typeChecking?: { readonly expressionWarnings?: readonly unknown[] };
        };
      };
      const { observedGeneration, typeChecking } = policy.status ?? {};
      if (observedGeneration !== policy.metadata.generation) return undefined;
      return typeChecking && (typeChecking.expressionWarnings ?? []);
    },
    { timeoutMs: 60_000 },
  );
}

/** The answer to a dry run of its creation, with its warnings. */
async function dryRun(env: TestEnv, object: KubernetesObject): Promise<readonly unknown[]> {
  const plural = object.kind === 'ValidatingAdmissionPolicy' ? 'policies' : 'policybindings';
  const path = `/apis/${POLICIES}/validatingadmission${plural}/${object.metadata.name}`;
  const url = new URL(`${path}?dryRun=All&fieldManager=x&fieldValidation=Strict`, env.url);
  const response = await fetch(url, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(object),
  });
  return [object.metadata.name, response.status, response.headers.get('warning')];
}

test('[admission 1] a real API server accepts the policies of every example, and a policy of each guard, without type warnings', async () => {
  const env = await startTestEnv({ backend: 'kubebuilder' });
  onTestFinished(() => env.stop());
  for (const file of FOLDERS.flatMap((folder) => manifestsIn(`${folder}/crds/`))) {
    await env.apply(file);
  }
  const applied: KubernetesObject[] = [];
  for (const file of FOLDERS.flatMap((folder) => manifestsIn(`${folder}/policies/`))) {
    applied.push(...(await env.apply(file)));
  }
  await env.apply([gardens.definition, beds.definition] as unknown as KubernetesObject[]);
  const guards = ['children', 'names', 'deletion'] as const;
  applied.push(...(await env.apply(await policyObjects(DECLARED, { ...OPTIONS, guards }))));
  applied.push(...(await env.apply(await policyObjects(DECLARED, { ...SHARED, name: 'sharers' }))));
  const wrong = {
    ...{ apiVersion: POLICIES, kind: 'ValidatingAdmissionPolicy' },
    metadata: { name: 'wrong' },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            operations: ['*'],
            resources: ['deployments'],
          },
        ],
      },
      validations: [{ expression: 'object.spec.copies > 1' }],
    },
  } as unknown as KubernetesObject;
  await env.apply([wrong]);
  await startTypeChecks(env.url);

  const dry = await Promise.all(applied.map((each) => dryRun(env, bare(each))));
  const policies = applied.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const warnings = await Promise.all(
    policies.map(async ({ metadata: { name } }) => [name, await warningsOf(env, name)]),
  );

  expect(policies.length).toBeGreaterThan(FOLDERS.length);
  expect(dry).toEqual(applied.map(({ metadata: { name } }) => [name, 200, null]));
  expect(warnings).toEqual(policies.map(({ metadata: { name } }) => [name, []]));
  expect(await warningsOf(env, 'wrong')).not.toEqual([]);
}, 180_000);

/** As a file has it. */
function bare({ metadata: { name, labels }, ...rest }: KubernetesObject): KubernetesObject {
  const { status: _, ...stated } = rest as { readonly status?: unknown };
  return { ...stated, metadata: { name, ...(labels && { labels }) } } as KubernetesObject;
}

/** Each policy counts from when the server has seen it and its binding. */
async function untilAllCount(env: TestEnv, hostile: readonly Write[]): Promise<void> {
  const policies = await env.list(POLICIES, 'ValidatingAdmissionPolicy', undefined);
  // After dry runs of deletions a real server has been seen to take an object for one that is being deleted.
  const tried = hostile.filter(({ method }) => method !== 'DELETE');
  await eventually(
    async () => {
      const answers = await Promise.all(tried.map((write) => send(env, write, { dryRun: 'All' })));
      const denying = answers.flatMap(
        ({ message }) => /ValidatingAdmissionPolicy '([^']*)'/.exec(message)?.[1] ?? [],
      );
      return new Set(denying).size === policies.length;
    },
    { timeoutMs: 60_000 },
  );
}

test('[admission 3] a real API server refuses every hostile write that RBAC lets the operator make', async () => {
  const { env, uids } = await startGarden(true, process.env);
  onTestFinished(() => env.stop());
  const writes = hostileWrites(uids);
  await untilAllCount(env, writes);

  const passed: string[] = [];
  let kept = 0;
  for (const write of writes) {
    const { status, message } = await send(env, write);
    const isDenied = status === 403 && message.includes('ValidatingAdmissionPolicy');
    // The ambassador lets no such request through to the API server.
    const isKept = /\/pods\/p\/(?:exec|attach)/.test(write.path) && message === 'Forbidden\n';
    if (isKept) kept += 1;
    else if (!isDenied) passed.push(`${write.title}: ${status} ${message.slice(0, 200)}`);
  }

  expect(passed).toEqual([]);
  expect(kept).toBe(2);
  expect(writes.length).toBeGreaterThan(200 + kept);
}, 180_000);

test("[admission 3] a real API server allows the operator's own writes", async () => {
  const { env, uids } = await startGarden(true, process.env);
  onTestFinished(() => env.stop());
  await untilAllCount(env, hostileWrites(uids));
  await env.delete('coordination.k8s.io/v1', 'Lease', 'yard', 'gardener-leader');
  await env.delete('v1', 'ConfigMap', 'yard', 'tools');

  const refused: string[] = [];
  for (const write of goodWrites(uids)) {
    const { status, message } = await send(env, write);
    if (status >= 300) refused.push(`${write.title}: ${status} ${message.slice(0, 500)}`);
  }

  expect(refused).toEqual([]);
}, 180_000);

test('a real API server allows sharded replicas to write the Leases of their set, and no other Leases', async () => {
  const { env, uids } = await startGarden(true, process.env, SHARED);
  onTestFinished(() => env.stop());
  await env.apply(BEFORE);
  await untilAllCount(env, hostileWrites(uids));

  const refused: string[] = [];
  const passed: string[] = [];
  for (const write of hostileLeases(uids)) {
    const { status, message } = await send(env, write);
    const isDenied = status === 403 && message.includes('ValidatingAdmissionPolicy');
    if (!isDenied) passed.push(`${write.title}: ${status} ${message.slice(0, 200)}`);
  }
  for (const write of GOOD) {
    const { status, message } = await send(env, write);
    if (status >= 300) refused.push(`${write.title}: ${status} ${message.slice(0, 500)}`);
  }

  expect(passed).toEqual([]);
  expect(refused).toEqual([]);
}, 180_000);
