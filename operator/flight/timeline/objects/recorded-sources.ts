import type { RequestPath } from '../../../access/request-path.ts';
import type { ObjectKey } from '../../../model/object.ts';
import type { HeaderLine, RecordedSource } from '../../record-line.ts';
import type { ObjectName } from './object-histories.ts';

/** The sources and controllers of a record. They are used to find the object that a line is about. */
export class RecordedSources {
  readonly #byId: ReadonlyMap<string, RecordedSource>;
  readonly #forIds: ReadonlyMap<string, string>;

  constructor({ sources, controllers }: HeaderLine) {
    this.#byId = new Map(sources.map((source) => [source.id, source]));
    this.#forIds = new Map(controllers.map((each) => [each.name, each.for]));
  }

  get(id: string): RecordedSource | undefined {
    return this.#byId.get(id);
  }

  /** The object that a key identifies for a controller. */
  nameOf(controller: string, key: string): ObjectName {
    const source = this.#byId.get(this.#forIds.get(controller) ?? '');
    return source === undefined
      ? { apiVersion: '', kind: controller, key: key as ObjectKey, form: 'full' }
      : objectIn(source, key);
  }

  /** The source to which a list or watch request belongs. Undefined for other paths. */
  ofCollection(
    { group, version, plural }: RequestPath,
    query: URLSearchParams,
  ): RecordedSource | undefined {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const alike = [...this.#byId.values()].filter(
      (source) => source.apiVersion === apiVersion && source.plural === plural,
    );
    const isAsked = ({ labelSelector, fieldSelector }: RecordedSource): boolean =>
      (labelSelector ?? '') === (query.get('labelSelector') ?? '') &&
      (fieldSelector ?? '') === (query.get('fieldSelector') ?? '');
    return alike.find(isAsked) ?? alike[0];
  }

  /**
   * The kind of the objects of the source with this plural. If there is no such source, the result is the
   * plural itself.
   */
  kindOf({ group, version, plural }: RequestPath): {
    readonly apiVersion: string;
    readonly kind: string;
  } {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    for (const source of this.#byId.values()) {
      if (source.apiVersion === apiVersion && source.plural === plural) return source;
    }
    return { apiVersion, kind: plural };
  }
}

/** The reference to an object of a source, with the same data as in the source's cache. */
export function objectIn({ apiVersion, kind, form }: RecordedSource, key: string): ObjectName {
  return {
    apiVersion,
    kind,
    key: key as ObjectKey,
    form: form === 'metadata' ? 'metadata' : 'full',
  };
}
