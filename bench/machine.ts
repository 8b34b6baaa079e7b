import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findKubectl } from '@chancery/testing';

/** The machine and the versions of a measurement: rows for people. */
export type Facts = readonly (readonly [name: string, value: string])[];

const PEERS = ['@kubernetes/client-node', 'kubernetes-fluent-client', '@dot-i/k8s-operator'];

/** The load averages: processes that want a core, over one, five and fifteen minutes. */
export function machineLoad(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(', ');
}

/** @param old - the folder of another checkout that is also measured. */
export function machineFacts(old?: string): Facts {
  const processors = cpus();
  return [
    ['machine', `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}`],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['system', `${type()} ${release()}`],
    ['Node', process.version],
    ['chancery', chanceryIn(fileURLToPath(new URL('..', import.meta.url)))],
    ...(old === undefined ? [] : [['chancery (old)', chanceryIn(old)] as const]),
    ...PEERS.map((name) => [name, versionIn(packageFolder(name))] as const),
    ['kubectl', output(findKubectl(process.env) ?? 'kubectl', 'version', '--client')],
    ['curl', output('curl', '--version')],
    ['Python', output('python3', '--version')],
  ];
}

function chanceryIn(folder: string): string {
  return `${versionIn(folder)}, commit ${output('git', '-C', folder, 'rev-parse', '--short', 'HEAD')}`;
}

function packageFolder(name: string): string {
  return fileURLToPath(new URL(`node_modules/${name}`, import.meta.url));
}

function versionIn(folder: string): string {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return 'not installed';
  return String((JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: string }).version);
}

/** The first line that a command prints. The machine may lack the command. */
function output(command: string, ...words: readonly string[]): string {
  try {
    const text = execFileSync(command, words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text.split('\n')[0] ?? '';
  } catch {
    return 'not here';
  }
}
