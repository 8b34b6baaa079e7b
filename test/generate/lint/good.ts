import { readFileSync } from 'node:fs';
import {
  AMBASSADOR_ENVIRONMENT,
  AMBASSADOR_FLAGS,
} from '../../../operator/access/filter/ambassador-image.ts';
import { parseYamlDocuments } from '../../../operator/core/yaml.ts';
import { gateConfig } from '../../../operator/generate/gate/gate-config.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';

const GOOD = parseYamlDocuments(readFileSync(new URL('good.yaml', import.meta.url), 'utf8'));

type Fields = Record<string, unknown>;

/** Where a path begins that does not begin with a kind. */
const SHORT: Readonly<Record<string, string>> = {
  template: 'Deployment.spec.template',
  pod: 'Deployment.spec.template.spec',
  proxy: 'Deployment.spec.template.spec.containers.0',
  operator: 'Deployment.spec.template.spec.containers.1',
  gate: 'Deployment.spec.template.spec.initContainers.0',
};

/** The objects of good.yaml, to be broken one field at a time: two plain containers. */
export class Manifests {
  readonly objects: KubernetesObject[] = structuredClone(GOOD) as KubernetesObject[];

  /** What a path such as `proxy.args.0` or `Role.rules` leads to. */
  get(path: string): unknown {
    const [first = '', ...rest] = path.split('.');
    const keys = [...(SHORT[first] ?? first).split('.'), ...rest];
    return keys.slice(1).reduce<unknown>(
      (value, key) => (value as Fields)[key],
      this.objects.find(({ kind }) => kind === keys[0]),
    );
  }

  set(path: string, value: unknown): this {
    const { parent, key } = this.#split(path);
    parent[key] = value;
    return this;
  }

  remove(path: string): this {
    const { parent, key } = this.#split(path);
    delete parent[key];
    return this;
  }

  push(path: string, value: unknown): this {
    if (this.get(path) === undefined) this.set(path, []);
    (this.get(path) as unknown[]).push(value);
    return this;
  }

  add(object: object): this {
    this.objects.push(object as KubernetesObject);
    return this;
  }

  /** Changes a text in place. */
  replace(path: string, from: string, to: string): this {
    const text = this.get(path) as string;
    if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
    return this.set(
      path,
      text.replace(from, () => to),
    );
  }

  #split(path: string): { parent: Fields; key: string } {
    const end = path.lastIndexOf('.');
    return { parent: this.get(path.slice(0, end)) as Fields, key: path.slice(end + 1) };
  }
}

/** Two containers, each of which is told to stop at once. */
export function plain(): Manifests {
  return new Manifests();
}

/** The ambassador as a native sidecar: `pod.initContainers.0`. */
export function sidecar(): Manifests {
  const manifests = plain().set('proxy.restartPolicy', 'Always').remove('proxy.lifecycle');
  const [proxy, operator] = manifests.get('pod.containers') as unknown[];
  return manifests.set('pod.initContainers', [proxy]).set('pod.containers', [operator]);
}

/** The ambassador in an image of kubectl alone, which gives neither flags nor variables. */
export function stock(): Manifests {
  const manifests = plain()
    .set('proxy.image', `registry.k8s.io/kubectl@sha256:${'0'.repeat(64)}`)
    .set('proxy.command', ['kubectl'])
    .set('proxy.args', [
      'proxy',
      ...AMBASSADOR_FLAGS,
      ...(plain().get('proxy.args') as readonly string[]),
    ]);
  const given = (manifests.get('proxy.env') as readonly { readonly name: string }[]).map(
    ({ name }) => name,
  );
  for (const [name, value] of Object.entries(AMBASSADOR_ENVIRONMENT)) {
    if (!given.includes(name)) manifests.push('proxy.env', { name, value });
  }
  for (const probe of ['startupProbe', 'livenessProbe']) {
    manifests.set(`proxy.${probe}.exec.command.0`, 'kubectl');
  }
  return manifests;
}

/** The ambassador on a Unix socket. */
export function socket(): Manifests {
  const mount = { name: 'socket', mountPath: '/run/chancery' };
  const path = '/run/chancery/proxy.sock';
  return plain()
    .push('pod.volumes', { name: 'socket', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } })
    .push('proxy.volumeMounts', mount)
    .push('proxy.args', `--unix-socket=${path}`)
    .set('proxy.startupProbe.exec.command', ['/kubectl', 'get', '--raw=/version'])
    .remove('proxy.livenessProbe')
    .push('operator.volumeMounts', mount)
    .push('operator.env', { name: 'CHANCERY_API_URL', value: `unix:${path}` })
    .set('operator.securityContext.runAsUser', 65531)
    .set('operator.securityContext.runAsGroup', 65531);
}

/** A path that the gate of `gated` passes. */
export const GATE_PATH = { path: '/validate/names.websites.example.com', timeoutSeconds: 10 };

/** An operator with a webhook, and the gate as a native sidecar: `pod.initContainers.0`. */
export function gated(): Manifests {
  const manifests = plain();
  const metadata = { name: 'op-gate', namespace: 'demo' };
  const { securityContext } = manifests.get('operator') as { securityContext: object };
  return manifests
    .push('pod.volumes', { name: 'gate-tls', secret: { secretName: 'op-gate-tls' } })
    .push('pod.volumes', { name: 'gate-config', configMap: { name: 'op-gate' } })
    .push('pod.volumes', { name: 'gate-run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } })
    .set('pod.initContainers', [
      {
        name: 'gate',
        image: `registry.example/chancery-gate@sha256:${'c'.repeat(64)}`,
        restartPolicy: 'Always',
        volumeMounts: [
          { name: 'gate-tls', mountPath: '/tls', readOnly: true },
          { name: 'gate-config', mountPath: '/etc/gate', readOnly: true },
          { name: 'gate-run', mountPath: '/run/gate' },
        ],
        resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '256Mi' } },
        securityContext: { ...securityContext, runAsUser: 65530, runAsGroup: 65530 },
      },
    ])
    .add({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { 'gate.conf': gateConfig({ paths: [GATE_PATH] }) },
    })
    .add({
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: { app: 'op' }, ports: [{ port: 443, targetPort: 9443 }] },
    })
    .add({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'op' },
      webhooks: [
        {
          name: 'names.websites.example.com',
          clientConfig: { service: { ...metadata, path: GATE_PATH.path } },
        },
      ],
    });
}

const NAME = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

/** Two plain containers in replicas that share the work, with the rights for their Leases. */
export function sharing(groups = '16'): Manifests {
  return plain()
    .push('operator.env', { name: 'CHANCERY_SHARDS', value: groups })
    .set('Role.rules.3.verbs', ['create', 'get', 'list', 'update'])
    .replace('proxy.args.0', '/leases(/op)?$', `/leases(/${NAME})?$`);
}
