import { NEVER_ABORTED } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { pods } from '../model/builtin.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { isGone, isNotFound } from '../model/status.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { type JsonObject, readAnswer } from './answer.ts';
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  EvictOptions,
  ListOptions,
  Patch,
  Stored,
  Target,
  UpdateOptions,
  WriteOptions,
} from './client.ts';
import { encodeExact, parseExact } from './exact-json.ts';
import { requireResourceVersion, requireUid, unversioned } from './existing.ts';
import { decodeList } from './list-answer.ts';
import { decodeObject } from './object-answer.ts';
import { type QueryParameters, withQuery } from './query.ts';
import { isUnserved } from './response-failure.ts';
import type { FieldValidation, RestClientOptions } from './rest-client-options.ts';
import { pathOfCollection, pathOfObject, pathToCreate } from './scope.ts';
import { warningTexts } from './server-warnings.ts';

/** Objects in a page of a list, as in client-go. */
const LIST_PAGE_SIZE: number = 500;

const CONTENT_TYPES = {
  object: 'application/json',
  /** JSON is YAML, and this is the only content type that every server takes for an apply. */
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
} as const;

/**
 * A Client that speaks to the API server through `transport`. Caches nothing, retries nothing: the
 * caller decides, by what the errors say; or `retryingClient` for it.
 *
 * An integer beyond ±2^53 is written only as a `bigint`: as a `number` it may be the rounded one of
 * somebody else, and the write is refused with a ConfigurationError before anything is sent.
 */
export function restClient(options: RestClientOptions): Client {
  return new RestClient(options);
}

class RestClient implements Client {
  readonly #transport: Transport;
  readonly #fieldManager: string;
  readonly #clock: Clock;
  readonly #purpose: 'call' | 'lease';
  readonly #parse: (text: string) => unknown;
  readonly #fieldValidation: FieldValidation | undefined;
  readonly #onWarning: (text: string) => void;

  constructor({
    transport,
    fieldManager,
    clock,
    purpose = 'call',
    exactIntegers = false,
    fieldValidation,
    onWarning = () => {},
  }: RestClientOptions) {
    this.#transport = transport;
    this.#fieldManager = fieldManager;
    this.#clock = clock;
    this.#purpose = purpose;
    this.#parse = exactIntegers ? parseExact : JSON.parse;
    this.#fieldValidation = fieldValidation;
    this.#onWarning = onWarning;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    { signal }: CallOptions = {},
  ): Promise<Stored<T>> {
    const answer = await this.#call('GET', pathOfObject(resource, target), signal);
    return decodeObject(answer, resource) as Stored<T>;
  }

  async find<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options: CallOptions = {},
  ): Promise<Stored<T> | undefined> {
    try {
      return await this.get(resource, target, options);
    } catch (error) {
      // Without the resource nobody knows whether the object exists: that stays an error.
      if (isNotFound(error) && !isUnserved(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: ListOptions = {},
  ): Promise<readonly Stored<T>[]> {
    try {
      return await this.#listPages(resource, options, LIST_PAGE_SIZE);
    } catch (error) {
      // A token outlived the history that it points into. All at once needs no token.
      if (isGone(error)) return this.#listPages(resource, options, undefined);
      throw error;
    }
  }

  async #listPages<T extends KubernetesObject>(
    resource: Resource<T>,
    { namespace, labelSelector, fieldSelector, signal }: ListOptions,
    limit: number | undefined,
  ): Promise<readonly Stored<T>[]> {
    const path = pathOfCollection(resource, namespace);
    const pages: (readonly Stored<T>[])[] = [];
    let token: string | undefined;
    do {
      const query = { labelSelector, fieldSelector, limit, continue: token };
      const answer = await this.#call('GET', withQuery(path, query), signal);
      const page = decodeList(answer, resource);
      pages.push(page.items as readonly Stored<T>[]);
      token = page.continueToken;
    } while (token !== undefined);
    return pages.flat();
  }

  async create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const { subresource } = options;
    const path =
      subresource === undefined
        ? pathToCreate(resource, object.metadata.namespace)
        : pathOfObject(resource, object.metadata, subresource);
    return this.#write('POST', path, resource, options, CONTENT_TYPES.object, object);
  }

  async apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: ApplyOptions = {},
  ): Promise<T> {
    const path = pathOfObject(resource, object.metadata, options.subresource);
    // The server refuses an apply that carries managedFields, and what was read carries them.
    const { managedFields: _, ...metadata } = object.metadata;
    return this.#write('PATCH', path, resource, options, CONTENT_TYPES.apply, {
      ...object,
      metadata,
    });
  }

  async applyExisting<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: ApplyOptions = {},
  ): Promise<T> {
    requireUid(resource, object);
    return this.apply(resource, object, options);
  }

  async update<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    { force, ...options }: UpdateOptions = {},
  ): Promise<T> {
    requireResourceVersion(resource, object, force);
    const path = pathOfObject(resource, object.metadata, options.subresource);
    const body = force === true ? unversioned(object) : object;
    return this.#write('PUT', path, resource, options, CONTENT_TYPES.object, body);
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = pathOfObject(resource, target, options.subresource);
    return this.#write('PATCH', path, resource, options, CONTENT_TYPES[patch.type], patch.body);
  }

  async delete(
    resource: Resource,
    target: Target,
    { signal, dryRun, ...rest }: DeleteOptions = {},
  ): Promise<void> {
    const deleteOptions = { ...rest, ...(dryRun === true && { dryRun: ['All'] }) };
    // Without options no body: the proxy can then repeat the request by itself after a GOAWAY.
    const body =
      Object.keys(deleteOptions).length === 0
        ? undefined
        : { apiVersion: 'v1', kind: 'DeleteOptions', ...deleteOptions };
    // The server reads the body, people who read its log the query.
    const query = { dryRun: dryRun === true ? 'All' : undefined };
    const path = withQuery(pathOfObject(resource, target), query);
    await this.#call('DELETE', path, signal, CONTENT_TYPES.object, body);
  }

  async evict(pod: Target, { signal, preconditions, dryRun }: EvictOptions = {}): Promise<void> {
    const path = pathOfObject(pods, pod, 'eviction');
    const query = {
      fieldManager: this.#fieldManager,
      dryRun: dryRun === true ? 'All' : undefined,
    };
    await this.#call('POST', withQuery(path, query), signal, CONTENT_TYPES.object, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod.name, namespace: pod.namespace },
      ...(preconditions === undefined ? {} : { deleteOptions: { preconditions } }),
    });
  }

  async #write<T extends KubernetesObject>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    resource: Resource<T>,
    { dryRun, force, subresource, fieldManager = this.#fieldManager, signal }: ApplyOptions,
    contentType: string,
    body: unknown,
  ): Promise<T> {
    const query: QueryParameters = {
      fieldManager,
      dryRun: dryRun === true ? 'All' : undefined,
      force,
      fieldValidation: this.#fieldValidation,
    };
    const answer = await this.#call(method, withQuery(path, query), signal, contentType, body);
    return decodeObject(answer, resource, subresource);
  }

  async #call(
    method: TransportRequest['method'],
    path: string,
    signal: AbortSignal = NEVER_ABORTED,
    contentType?: string,
    body?: unknown,
  ): Promise<JsonObject> {
    const accept = 'application/json';
    const response = await this.#transport.send({
      method,
      path,
      purpose: this.#purpose,
      signal,
      ...(contentType === undefined || body === undefined
        ? { headers: { accept } }
        : { headers: { accept, 'content-type': contentType }, body: encodeExact(body) }),
    });
    for (const text of warningTexts(response.headers.warning)) this.#onWarning(text);
    const asked = { method, path };
    return readAnswer(response, this.#clock, { parse: this.#parse, asked });
  }
}
