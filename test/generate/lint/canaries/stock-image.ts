import {
  AMBASSADOR_ENVIRONMENT,
  AMBASSADOR_FLAGS,
} from '../../../../operator/access/filter/ambassador-image.ts';
import { type Manifests, plain, stock } from '../good.ts';
import { type Canary, PROXY } from './canary.ts';

/** The manifests of an image of kubectl alone without the elements of a list that `is` finds. */
function without<T>(path: string, is: (element: T) => boolean): Manifests {
  const manifests = stock();
  const rest = (manifests.get(path) as readonly T[]).filter((element) => !is(element));
  return manifests.set(path, rest);
}

/** What our own image gives by itself must be in the Deployment of another image. */
export const STOCK_IMAGE: readonly Canary[] = [
  ...[...AMBASSADOR_FLAGS, '--reject-paths=', '--reject-methods=']
    .map((flag) => flag.split('=', 1)[0] ?? '')
    .map((name) => ({
      rule: 'entry-point',
      does: `uses a plain kubectl image without ${name} [security 25]`,
      at: `${PROXY}.command`,
      says: `leaves out ${name}: `,
      broken: () => without<string>('proxy.args', (arg) => arg.startsWith(`${name}=`)),
    })),
  ...Object.keys(AMBASSADOR_ENVIRONMENT).map((variable) => ({
    rule: 'proxy-environment',
    does: `uses a plain kubectl image without ${variable} [security 25]`,
    at: `${PROXY}.env[${variable}]`,
    says: 'is missing',
    broken: () => without<{ readonly name: string }>('proxy.env', ({ name }) => name === variable),
  })),
  {
    rule: 'entry-point',
    does: 'starts kubectl through a shell',
    at: `${PROXY}.command`,
    broken: () => stock().set('proxy.command', ['sh', '-c', 'exec kubectl "$@"', 'kubectl']),
  },
  {
    rule: 'fixed-flags',
    does: 'makes a plain kubectl image listen on all addresses',
    at: `${PROXY}.args[1]`,
    says: 'set --address=127.0.0.1',
    broken: () => stock().set('proxy.args.1', '--address=0.0.0.0'),
  },
  {
    rule: 'known-arguments',
    does: 'passes to a plain kubectl image a flag that kubectl proxy does not know',
    at: `${PROXY}.args[13]`,
    broken: () => stock().push('proxy.args', '--www-dir=/x'),
  },
  {
    rule: 'proxy-probes',
    does: 'probes a plain kubectl image by the path of kubectl in our own image',
    at: `${PROXY}.startupProbe`,
    says: 'runs /kubectl: the image has kubectl elsewhere; exec [kubectl, ',
    broken: () => stock().set('proxy.startupProbe.exec.command.0', '/kubectl'),
  },
  {
    rule: 'proxy-probes',
    does: 'probes our own image by a kubectl from the PATH',
    at: `${PROXY}.livenessProbe`,
    says: 'runs kubectl: the image has kubectl elsewhere; exec [/kubectl, ',
    broken: () => plain().set('proxy.livenessProbe.exec.command.0', 'kubectl'),
  },
  {
    rule: 'fixed-images',
    does: 'names a plain kubectl image by its tag',
    at: `${PROXY}.image`,
    level: 'warning',
    broken: () => stock().set('proxy.image', 'registry.k8s.io/kubectl:v1.37.1'),
  },
];
