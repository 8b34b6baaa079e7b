/** An operator with a fault as a process of its own, with its recorder on. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type ApiServer, eventually, freePort } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import { expect } from 'vitest';
import { type FlightRecord, readRecord } from '../../../operator/flight/read-record.ts';
import type { RecordReason } from '../../../operator/flight/record-line.ts';
import { isWrite } from '../../../operator/flight/replay/replayed-attempt.ts';
import { type Child, chancery, folderWith } from '../../cli/child.ts';
import { startServer } from '../../cli/server.ts';

/** A request of an operator that changes something. */
export interface SoakWrite {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  /** Milliseconds since the recorder began. Undefined for one of a replay. */
  readonly at?: number;
}

/** Eight of these are more than the recorder may keep. */
const NOISE_CHARS = 250_000;
const NOISE_ROUNDS = 8;

const operatorFile = (name: string): string =>
  fileURLToPath(new URL(`./modules/${name}.ts`, import.meta.url));

export class SoakRun {
  readonly server: ApiServer;
  readonly child: Child;
  readonly #healthPort: number;
  readonly #records: string;

  constructor(server: ApiServer, child: Child, records: string, healthPort: number) {
    this.server = server;
    this.child = child;
    this.#records = records;
    this.#healthPort = healthPort;
  }

  create(name: string, app: string, data: Readonly<Record<string, string>>): void {
    this.server.create(labelled(name, app, data));
  }

  /** Changes the site `web`. */
  change(data: Readonly<Record<string, string>>): void {
    this.server.patch('v1', 'ConfigMap', 'demo', 'web', { data });
  }

  /** Resolves when the data of a ConfigMap have these members. */
  async has(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    await eventually(() => {
      const found = this.server.get('v1', 'ConfigMap', 'demo', name);
      expect(found).toMatchObject({ data });
    });
  }

  async hasAccounts(count: number): Promise<void> {
    await eventually(() => this.server.list('v1', 'ServiceAccount', 'demo').length === count);
  }

  /** Resolves when a line of the log has this message, or this text. */
  async logged(message: string, text: string = `"msg":"${message}"`): Promise<void> {
    const { lines } = this.child.stderr;
    await this.child.stderr.until(() => lines.some((line) => line.includes(text)));
  }

  /** Lets the operator see so much that its recorder drops what came before. */
  async fillRing(): Promise<void> {
    for (let round = 1; round <= NOISE_ROUNDS; round++) {
      const data = { round: `${round}`, noise: `${round}`.repeat(NOISE_CHARS) };
      this.server.patch('v1', 'ConfigMap', 'demo', 'noise', { data });
      await this.logged('noise', `"round":"${round}"`);
    }
  }

  /** Another process takes the Lease; the empty name gives it back. */
  takeLease(holderIdentity: string): void {
    const [lease] = this.server.list('coordination.k8s.io/v1', 'Lease', 'demo');
    const { name = '' } = lease?.metadata ?? {};
    this.server.patch('coordination.k8s.io/v1', 'Lease', 'demo', name, {
      spec: { holderIdentity },
    });
  }

  async probe(): Promise<void> {
    await fetch(`http://127.0.0.1:${this.#healthPort}/healthz`);
  }

  /** The only record of this reason, once it is written. */
  async record(reason: RecordReason): Promise<FlightRecord> {
    await this.logged('flight record written');
    const [name, ...others] = readdirSync(this.#records).filter((each) => each.includes(reason));
    expect(others).toEqual([]);
    return readRecord(join(this.#records, name ?? ''));
  }
}

/** A ConfigMap of which the label says what it is for. */
export function labelled(
  name: string,
  app: string,
  data: Readonly<Record<string, string>>,
): KubernetesObject {
  const metadata = { name, namespace: 'demo', labels: { app } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as KubernetesObject;
}

/** Starts operators of the folder `modules`, with the site `web` and the given objects in the cluster. */
export async function startRun(
  operators: readonly string[],
  objects: readonly KubernetesObject[],
  environment: Readonly<Record<string, string>>,
  prepare: (server: ApiServer) => void = () => {},
): Promise<SoakRun> {
  const server = await startServer();
  for (const object of objects) server.create(object);
  prepare(server);
  const records = join(folderWith({}), 'records');
  const healthPort = await freePort();
  const child = chancery(['run', ...operators.map(operatorFile), '--record', records], {
    CHANCERY_API_URL: server.url,
    POD_NAMESPACE: 'demo',
    CHANCERY_LOG_FORMAT: 'json',
    CHANCERY_HEALTH_PORT: `${healthPort}`,
    CHANCERY_RECORD_MEGABYTES: '1',
    ...environment,
  });
  return new SoakRun(server, child, records, healthPort);
}

/** The controllers of the same operators, in this process. */
export async function controllersOf(operators: readonly string[]): Promise<readonly Controller[]> {
  const modules = await Promise.all(
    operators.map((name) => import(pathToFileURL(operatorFile(name)).href)),
  );
  return modules.flatMap(
    ({ default: declared }: { default: Controller | readonly Controller[] }) => declared,
  );
}

/** What the record has of the writes for a key, in their order. */
export function recordedWrites({ lines }: FlightRecord, key: string): readonly SoakWrite[] {
  return lines.flatMap((line) =>
    line.kind === 'request' && line.by?.key === key && isWrite(line)
      ? [{ method: line.method, path: line.path, body: line.body, at: line.at }]
      : [],
  );
}
