import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { findKubectl } from '@chancery/testing';

/** Where, and with which versions, something was measured: rows for people. */
export type Facts = readonly (readonly [name: string, value: string])[];

const PEERS = ['@kubernetes/client-node', 'kubernetes-fluent-client', '@dot-i/k8s-operator'];

/** Processes that want a core, on average: over one minute, five and fifteen. */
export function machineLoad(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(', ');
}

export function machineFacts(): Facts {
  const processors = cpus();
  return [
    ['machine', `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}`],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['system', `${type()} ${release()}`],
    ['Node', process.version],
    [
      'chancery',
      `${versionIn('../package.json')}, commit ${output('git', 'rev-parse', '--short', 'HEAD')}`,
    ],
    ...PEERS.map((name) => [name, versionIn(`node_modules/${name}/package.json`)] as const),
    ['kubectl', output(findKubectl(process.env) ?? 'kubectl', 'version', '--client')],
    ['curl', output('curl', '--version')],
    ['Python', output('python3', '--version')],
  ];
}

function versionIn(path: string): string {
  const url = new URL(path, import.meta.url);
  if (!existsSync(url)) return 'not installed';
  return String((JSON.parse(readFileSync(url, 'utf8')) as { readonly version?: string }).version);
}

/** The first line that a command prints; a machine may be without it. */
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
