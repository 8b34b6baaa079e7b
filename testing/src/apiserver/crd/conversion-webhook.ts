import process from 'node:process';
import { internalError } from '../failures/failure.ts';
import { canonicalCustom } from '../objects/canonical.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { Converter } from '../registry/served-resource.ts';
import {
  type WebhookAddress,
  type WebhookClient,
  WebhookError,
} from '../webhooks/webhook-client.ts';
import { restoredMetadata } from './restored-metadata.ts';

const { randomUUID } = process.getBuiltinModule('node:crypto');

/** The time limit of a conversion. kube-apiserver has the same limit. It cannot be changed. */
const TIMEOUT_MS = 30_000;

/** `spec.conversion.webhook` of a definition. */
export interface ConversionSettings {
  readonly clientConfig: WebhookAddress;
  readonly conversionReviewVersions: readonly string[];
}

/**
 * Calls the conversion webhook of a definition, with one review for all objects of a list
 * (k8s.io/apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go).
 *
 * @param apiVersion - the served version.
 * @param stored - the version in storage.
 */
export function conversionWebhook(
  client: WebhookClient,
  settings: ConversionSettings,
  apiVersion: string,
  stored: string,
): Converter {
  const convert = (
    objects: readonly StoredObject[],
    desired: string,
  ): Promise<readonly StoredObject[]> => new Conversion(client, settings, desired).all(objects);
  return {
    fromStored: (objects) => convert(objects, apiVersion),
    async toStored(object) {
      const [converted] = await convert([object], stored);
      return converted ?? object;
    },
  };
}

class Conversion {
  readonly #client: WebhookClient;
  readonly #settings: ConversionSettings;
  readonly #desired: string;

  constructor(client: WebhookClient, settings: ConversionSettings, desired: string) {
    this.#client = client;
    this.#settings = settings;
    this.#desired = desired;
  }

  /**
   * Converts objects.
   * @throws ApiError 500 when the webhook cannot be called, or changes a field that it must not
   * change.
   */
  async all(objects: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const waiting = objects.filter(({ apiVersion }) => apiVersion !== this.#desired);
    const [first] = waiting;
    if (first === undefined) return objects;
    const answers = await this.#ask(waiting, first);
    const converted = new Map(
      waiting.map((original, at) => [
        original,
        this.#checked(original, answers[at], waiting.length === 1 ? undefined : at),
      ]),
    );
    return objects.map((object) => converted.get(object) ?? object);
  }

  async #ask(objects: readonly StoredObject[], first: StoredObject): Promise<readonly unknown[]> {
    const version = this.#reviewVersion();
    const uid = randomUUID();
    const review = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion: this.#desired, objects },
    };
    let answer: Json;
    try {
      answer = await this.#client.post(this.#settings.clientConfig, review, TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      throw failed(first, error.message);
    }
    const converted = convertedIn(answer, version, uid);
    if (typeof converted === 'string') throw failed(first, converted);
    if (converted.length !== objects.length) {
      const counts = `returned ${converted.length} objects, expected ${objects.length}`;
      throw internalError(`conversion webhook for ${kindOf(first)} ${counts}`);
    }
    return converted;
  }

  #reviewVersion(): string {
    const { conversionReviewVersions = [] } = this.#settings;
    const version = conversionReviewVersions.find((one) => one === 'v1' || one === 'v1beta1');
    if (version === undefined) throw internalError('no supported conversion review versions');
    return version;
  }

  /**
   * Checks a converted object.
   * @param at - the index of the object in the list; undefined for a single object.
   */
  #checked(original: StoredObject, answer: unknown, at: number | undefined): StoredObject {
    const webhook = `conversion webhook for ${kindOf(original)} returned`;
    const what = at === undefined ? 'invalid object' : `invalid converted object at index ${at}`;
    const place = at === undefined ? 'invalid object at index 0' : what;
    const converted = isObject(answer) ? answer : {};
    const { apiVersion, kind } = converted;
    if (apiVersion !== this.#desired) {
      const versions = `expected ${this.#desired}, received ${String(apiVersion ?? '')}`;
      throw internalError(`${webhook} ${place}: invalid groupVersion (${versions})`);
    }
    if (kind !== original.kind) {
      const kinds = `expected ${original.kind}, received ${String(kind ?? '')}`;
      throw internalError(`${webhook} ${place}: invalid kind (${kinds})`);
    }
    const identity = identityProblem(original, converted);
    if (identity !== undefined) throw internalError(`${webhook} ${what}: ${identity}`);
    const metadata = restoredMetadata(original, converted);
    if (typeof metadata === 'string') {
      const inWhat =
        at === undefined ? 'invalid metadata' : `invalid metadata in object at index ${at}`;
      throw internalError(`${webhook} ${inWhat}: ${metadata}`);
    }
    return canonicalCustom({ ...converted, metadata } as unknown as StoredObject);
  }
}

function failed(object: StoredObject, why: string): Error {
  return internalError(`conversion webhook for ${kindOf(object)} failed: ${why}`);
}

function kindOf({ apiVersion, kind }: StoredObject): string {
  return `${apiVersion}, Kind=${kind}`;
}

/** The objects in an answer. If it contains none, returns a string with the reason. */
function convertedIn(
  { kind, apiVersion, response }: Json,
  version: string,
  uid: string,
): readonly unknown[] | string {
  const wanted = 'apiextensions.k8s.io/v1, Kind=ConversionReview';
  const found = `${String(apiVersion ?? '')}, Kind=${String(kind ?? '')}`;
  if (version === 'v1' && found !== wanted) {
    return `expected webhook response of ${wanted}, got ${found}`;
  }
  if (!isObject(response)) return 'no response provided';
  if (version === 'v1' && response.uid !== uid) {
    const got = JSON.stringify(String(response.uid ?? ''));
    return `expected response.uid=${JSON.stringify(uid)}, got ${got}`;
  }
  const { status = '', message } = isObject(response.result) ? response.result : {};
  if (status !== 'Success') {
    return String(message || `response.result.status was '${String(status)}', not 'Success'`);
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

/** Reports a change of a field that no conversion may change. */
function identityProblem({ metadata }: StoredObject, converted: Json): string | undefined {
  const found = isObject(converted.metadata) ? converted.metadata : {};
  for (const [field, name] of IDENTITY) {
    const expected = String(metadata[field] ?? '');
    const got = String(found[field] ?? '');
    if (expected !== got) return `must have the same ${name}: ${expected} != ${got}`;
  }
  return undefined;
}

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;
