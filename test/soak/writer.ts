import type { ApiServer } from '@chancery/testing';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Random } from '../convergence/random.ts';
import { NAMESPACES } from './environment.ts';

/** Names in each namespace and kind: few, so that names are used again and again. */
const NAME_COUNT = 40;

/** Writes of all kinds, at random, straight into the server: no fault stands in their way. */
export class Writer {
  readonly #server: ApiServer;
  readonly #random: Random;
  #writeCount = 0;

  constructor(server: ApiServer, random: Random) {
    this.#server = server;
    this.#random = random;
  }

  get writeCount(): number {
    return this.#writeCount;
  }

  write(): void {
    const random = this.#random;
    const kind = random.pick(['ConfigMap', 'ConfigMap', 'Pod'] as const);
    const namespace = random.pick(NAMESPACES);
    const name = `n${random.between(0, NAME_COUNT)}`;
    this.#writeCount++;
    const old = this.#server.get('v1', kind, namespace, name);
    if (old === undefined) {
      this.#server.create(this.#object(kind, namespace, name));
      return;
    }
    const roll = random.next();
    if (roll < 0.5) this.#patch(kind, namespace, name, { annotations: this.#note() });
    else if (roll < 0.65) this.#patch(kind, namespace, name, { labels: this.#labels() });
    else if (roll < 0.75) this.#put(old);
    else this.#server.delete('v1', kind, namespace, name);
    // The same name at once, as a `kubectl replace --force` does: another uid.
    if (roll > 0.88) this.#server.create(this.#object(kind, namespace, name));
  }

  #patch(kind: string, namespace: string, name: string, metadata: object): void {
    this.#server.patch('v1', kind, namespace, name, { metadata });
  }

  #put(old: KubernetesObject): void {
    const metadata = { ...old.metadata, annotations: this.#note() };
    this.#server.applyManifest(JSON.stringify({ ...old, metadata }));
  }

  #object(kind: 'ConfigMap' | 'Pod', namespace: string, name: string): KubernetesObject {
    const metadata = { name, namespace, labels: this.#labels(), annotations: this.#note() };
    return kind === 'ConfigMap'
      ? ({ apiVersion: 'v1', kind, metadata, data: { text: this.#text() } } as KubernetesObject)
      : ({
          apiVersion: 'v1',
          kind,
          metadata,
          spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
        } as KubernetesObject);
  }

  #labels(): Record<string, string> {
    return { tier: this.#random.pick(['web', 'data', 'batch']) };
  }

  #note(): Record<string, string> {
    return { 'example.dev/note': `${this.#random.next()} ${this.#text()}` };
  }

  /** Of all widths in UTF-8, and sometimes longer than a TCP segment. */
  #text(): string {
    return 'aé€😀\u2028'.repeat(this.#random.chance(0.05) ? 400 : this.#random.between(0, 20));
  }
}
