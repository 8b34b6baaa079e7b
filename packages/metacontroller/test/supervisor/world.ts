/** An embedded API server with Metacontroller's definitions, and the runnable over it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { ApiServer, eventually, startOperator } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { KubernetesObject } from '../../../../operator/index.ts';
import {
  compositeControllers,
  controllerRevisions,
  decoratorControllers,
} from '../../src/definitions/resources.ts';
import {
  METACONTROLLER_DEFAULTS,
  type MetacontrollerOptions,
  metacontrollerRunnable,
} from '../../src/supervisor/metacontroller-runnable.ts';

/** A request as a hook gets it. */
export interface HookCall {
  readonly path: string;
  readonly body: {
    readonly controller: KubernetesObject;
    readonly parent: KubernetesObject & { readonly spec?: Readonly<Record<string, unknown>> };
    readonly children: Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;
  };
}

/** A hook over HTTP on the loopback. It ends with the test. */
export async function startHook(answer: (call: HookCall) => unknown) {
  const calls: HookCall[] = [];
  const server = createServer((request, response) => {
    void respond(request, response, (call) => {
      calls.push(call);
      return answer(call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { calls, urlOf: (path: string) => `http://127.0.0.1:${port}/${path}` };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (call: HookCall) => unknown,
): Promise<void> {
  const body = (await json(request)) as HookCall['body'];
  const value = await answer({ path: request.url ?? '', body });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}

/** A definition of parents in the group `fruit.example`. */
export function parentDefinition(
  kind: string,
  { hasStatus = true }: { readonly hasStatus?: boolean } = {},
): KubernetesObject {
  const plural = `${kind.toLowerCase()}s`;
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { type: 'object', properties: { spec: anything, status: anything } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.fruit.example` },
    spec: {
      group: 'fruit.example',
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
          ...(hasStatus && { subresources: { status: {} } }),
        },
      ],
    },
  } as KubernetesObject;
}

export function parent(kind: string, name: string, spec: object = {}): KubernetesObject {
  const metadata = { name, namespace: 'farm' };
  return { apiVersion: 'fruit.example/v1', kind, metadata, spec } as KubernetesObject;
}

/** A CompositeController whose children are ConfigMaps. */
export function composite(
  name: string,
  plural: string,
  url: string | undefined,
  spec: object = {},
): KubernetesObject {
  const metadata = { name, labels: { team: 'farm' } };
  return {
    ...{ apiVersion: 'metacontroller.k8s.io/v1alpha1', kind: 'CompositeController', metadata },
    spec: {
      parentResource: { apiVersion: 'fruit.example/v1', resource: plural },
      childResources: [
        { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'InPlace' } },
      ],
      generateSelector: true,
      ...(url !== undefined && { hooks: { sync: { version: 'v2', webhook: { url } } } }),
      ...spec,
    },
  } as KubernetesObject;
}

/** An answer with one ConfigMap, named after its parent. */
export function oneConfigMap({ body: { parent } }: HookCall, data: Record<string, string> = {}) {
  const metadata = { name: `${parent.metadata.name}-plan` };
  return { status: {}, children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }] };
}

export async function startWorld(
  objects: readonly KubernetesObject[],
  options: Partial<MetacontrollerOptions> = {},
) {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  for (const { definition } of [compositeControllers, decoratorControllers, controllerRevisions]) {
    server.create(definition as KubernetesObject);
  }
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'farm' } });
  for (const each of objects) server.create(each);
  const runnable = metacontrollerRunnable({
    ...METACONTROLLER_DEFAULTS,
    ...{ apiUrl: server.url, ownPorts: () => [], environment: {}, discoveryIntervalMs: 200 },
    ...options,
  });
  const operator = startOperator({ url: server.url, controllers: [], runnables: [runnable] });
  onTestFinished(() => operator.stop());
  const ready = (kind: string, name: string) => {
    const found = server.get('metacontroller.k8s.io/v1alpha1', kind, undefined, name) as
      | (KubernetesObject & { readonly status?: { readonly conditions?: readonly Condition[] } })
      | undefined;
    return found?.status?.conditions?.find(({ type }) => type === 'Ready');
  };
  return {
    ...{ server, operator, ready },
    /** Resolves to the condition once it has this reason. */
    readyWith: (name: string, reason: string, kind = 'CompositeController') =>
      eventually(() => {
        const condition = ready(kind, name);
        return condition?.reason === reason ? condition : undefined;
      }),
    /** Reasons of the Events about a CompositeController. */
    reasons: (name: string) =>
      server
        .list('events.k8s.io/v1', 'Event')
        .map((event) => event as KubernetesObject & EventFields)
        .filter(({ regarding }) => regarding.name === name)
        .map(({ reason }) => reason),
    configMap: (name: string) =>
      server.get('v1', 'ConfigMap', 'farm', name) as
        | (KubernetesObject & { readonly data?: Readonly<Record<string, string>> })
        | undefined,
  };
}

interface EventFields {
  readonly reason: string;
  readonly regarding: { readonly name: string };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}
