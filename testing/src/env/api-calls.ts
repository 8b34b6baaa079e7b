import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { KubernetesObject, Resource } from 'chancery';
import {
  ApiError,
  apiVersionOf,
  groupVersionPath,
  isNotFound,
  isUnserved,
  OperatorError,
  parseYamlDocuments,
} from 'chancery/internal-objects';
import { collectionPath, isStatus, objectPath } from 'chancery/internal-testing';
import { jsonText } from '../apiserver/objects/json-text.ts';
import { type Manifest, manifestObjects } from '../apiserver/objects/manifest-objects.ts';
import { eventually } from '../time/eventually.ts';
import type { TestEnv } from './test-env.ts';

/** An `import` of node:http would also load WebSocket and fetch, and each start would take 30 ms longer. */
const { Agent, request } = process.getBuiltinModule('node:http');

/** The User-Agent of the test itself, so that logs distinguish its calls from the calls of the operator. */
export const TEST_USER_AGENT = 'chancery-test-env';

const FIELD_MANAGER = 'chancery-test-env';

/** The connections do not keep the process alive while they are idle. */
const CONNECTIONS = new Agent({ keepAlive: true });

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** The calls of a test to an API server. They use HTTP directly, independently of the toolkit under test. */
export class ApiCalls {
  readonly #url: string;
  readonly #created: (object: KubernetesObject) => void;
  readonly #resources = new Map<string, readonly Resource[]>();

  /** @param created - called with every newly created object. */
  constructor(url: string, created: (object: KubernetesObject) => void) {
    this.#url = url;
    this.#created = created;
  }

  async create<T extends KubernetesObject>(object: T): Promise<T> {
    const resource = await this.#resourceOf(object.apiVersion, object.kind);
    const path = collectionPath(resource, object.metadata.namespace);
    const answer = await this.send('POST', path, object);
    this.#created(answer as KubernetesObject);
    return answer as T;
  }

  readonly get: TestEnv['get'] = async (...args: readonly unknown[]) => {
    const [resource, [namespace, name]] = await this.#asked(args);
    const path = objectPath(resource, { namespace, name: name ?? '' });
    return orUndefined(this.send('GET', path)) as Promise<never>;
  };

  readonly list: TestEnv['list'] = async (...args: readonly unknown[]) => {
    const [resource, [namespace]] = await this.#asked(args);
    const answer = await this.send('GET', collectionPath(resource, namespace));
    const { items } = answer as { items: readonly KubernetesObject[] };
    // Items of built-in lists have no kind and apiVersion.
    const form = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    return items.map((item) => ({ ...item, ...form })) as never;
  };

  /**
   * Splits the arguments into the resource and all other arguments. The arguments begin with a resource
   * object, or with an apiVersion and a kind.
   */
  async #asked(
    args: readonly unknown[],
  ): Promise<[resource: Resource, rest: readonly (string | undefined)[]]> {
    const [first, second, ...others] = args as [Resource | string, string, ...string[]];
    if (typeof first !== 'string') return [first, [second, ...others]];
    return [await this.#resourceOf(first, second), others];
  }

  async patch(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): Promise<KubernetesObject> {
    const resource = await this.#resourceOf(apiVersion, kind);
    const path = objectPath(resource, { namespace, name }, subresource);
    return (await this.send('PATCH', path, mergePatch, MERGE)) as KubernetesObject;
  }

  async delete(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): Promise<void> {
    const resource = await this.#resourceOf(apiVersion, kind);
    await this.send('DELETE', objectPath(resource, { namespace, name }));
  }

  /**
   * @param namespace - the namespace of objects without a namespace. If omitted, such objects are
   * refused.
   */
  async apply(manifest: Manifest, namespace?: string): Promise<readonly KubernetesObject[]> {
    const applied: KubernetesObject[] = [];
    for (const object of await objectsOf(manifest)) {
      applied.push(await this.#applyOne(object, namespace));
    }
    return applied;
  }

  async #applyOne(object: KubernetesObject, preset: string | undefined): Promise<KubernetesObject> {
    const resource = await this.#resourceOf(object.apiVersion, object.kind);
    const namespace = resource.namespaced ? (object.metadata.namespace ?? preset) : undefined;
    if (resource.namespaced && namespace === undefined) {
      throw unusable(
        `${object.kind} ${object.metadata.name} names no namespace: apply it with one`,
      );
    }
    const placed = {
      ...object,
      metadata: { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) },
    };
    if (placed.metadata.name === undefined) return this.create(placed);
    const path = objectPath(resource, placed.metadata);
    const isNew = (await orUndefined(this.send('GET', path))) === undefined;
    const query = `?fieldManager=${FIELD_MANAGER}&force=true`;
    const answer = (await this.send('PATCH', path + query, placed, APPLY)) as KubernetesObject;
    if (isNew) this.#created(answer);
    if (object.kind === 'CustomResourceDefinition') await this.#established(path);
    return answer;
  }

  /**
   * Waits until a definition is established, because the rest of the manifest may need its
   * resource.
   */
  async #established(path: string): Promise<void> {
    await eventually(async () => {
      const { status } = (await this.send('GET', path)) as {
        status?: { conditions?: readonly { type: string; status: string }[] };
      };
      return status?.conditions?.some((is) => is.type === 'Established' && is.status === 'True');
    });
    this.#resources.clear();
  }

  /** The resource of a kind. Discovery is repeated while the server does not know the kind. */
  async #resourceOf(apiVersion: string, kind: string): Promise<Resource> {
    const known = this.#resources.get(apiVersion)?.find((resource) => resource.kind === kind);
    if (known !== undefined) return known;
    const resources = await this.#discover(apiVersion);
    this.#resources.set(apiVersion, resources);
    const found = resources.find((resource) => resource.kind === kind);
    if (found !== undefined) return found;
    throw unusable(`the API server does not serve ${kind} of ${apiVersion}`);
  }

  async #discover(apiVersion: string): Promise<readonly Resource[]> {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const answer = await this.send('GET', groupVersionPath({ group, version })).catch(
      (error: unknown) => {
        if (isUnserved(error)) return {};
        throw error;
      },
    );
    const { resources = [] } = answer as {
      resources?: readonly { name: string; kind: string; namespaced: boolean }[];
    };
    return resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name: plural, kind, namespaced }) => ({ group, version, plural, kind, namespaced }));
  }

  /**
   * Sends one request, and returns its answer as JSON.
   *
   * @throws ApiError for a Status, and for a path that is not served; OperatorError
   * `NOT_KUBERNETES` for any other failure.
   */
  async send(method: string, path: string, body?: object, type?: string): Promise<unknown> {
    const sent = body === undefined ? undefined : jsonText(body);
    const { status, text } = await answered(this.#url + path, sent, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': TEST_USER_AGENT,
        ...(sent !== undefined && {
          'content-type': type ?? 'application/json',
          'content-length': Buffer.byteLength(sent),
        }),
      },
    });
    const value = parsed(text);
    if (status >= 200 && status < 300 && value !== undefined) return value;
    if (isStatus(value)) throw new ApiError(value, { httpStatus: status });
    if (status === 404) {
      const message = text.trim().slice(0, 200);
      throw new ApiError({ reason: 'NotFound', message }, { httpStatus: 404 });
    }
    throw new OperatorError(`${method} ${path}: ${status} ${text.slice(0, 200)}`, {
      code: 'NOT_KUBERNETES',
      layer: 'protocol',
    });
  }
}

/** Uses node:http, because `fetch` takes several times the CPU for such small answers. */
async function answered(
  url: string,
  body: string | undefined,
  options: RequestOptions,
): Promise<{ readonly status: number; readonly text: string }> {
  const sent = request(url, { ...options, agent: CONNECTIONS });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, text: await readText(answer) };
}

async function objectsOf(manifest: Manifest): Promise<readonly KubernetesObject[]> {
  if (manifest instanceof URL) return inFiles(manifest);
  if (typeof manifest === 'string')
    return parseYamlDocuments(manifest).flatMap((document) => manifestObjects(document, unusable));
  return Array.isArray(manifest) ? manifest : [manifest as KubernetesObject];
}

async function inFiles(url: URL): Promise<readonly KubernetesObject[]> {
  const path = fileURLToPath(url);
  const files = (await stat(path)).isDirectory()
    ? (await readdir(path)).filter((name) => /\.(?:ya?ml|json)$/.test(name)).sort()
    : [''];
  const texts = await Promise.all(files.map((name) => readFile(join(path, name), 'utf8')));
  return texts.flatMap((text) =>
    parseYamlDocuments(text).flatMap((document) => manifestObjects(document, unusable)),
  );
}

async function orUndefined(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unusable(message: string): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code' });
}
