/** Overlays that put the ambassador on a Unix socket and get it wrong. */
import { plain, socket } from '../good.ts';
import { type Canary, OPERATOR, POD, PROXY } from './canary.ts';

export const UNIX_SOCKET: readonly Canary[] = [
  {
    rule: 'unix-socket',
    does: 'uses an abstract socket',
    at: `${PROXY}.args`,
    broken: () =>
      socket()
        .set('proxy.args.3', '--unix-socket=@proxy')
        .set('operator.env.1.value', 'unix:@proxy'),
    also: ['no-shared-volumes'],
  },
  {
    rule: 'unix-socket',
    does: 'keeps the socket on the disk',
    at: `${POD}volumes[socket].emptyDir`,
    broken: () => socket().set('pod.volumes.1.emptyDir', {}),
  },
  {
    rule: 'unix-socket',
    does: 'sets no limit for what is beside the socket',
    at: `${POD}volumes[socket].emptyDir`,
    broken: () => socket().remove('pod.volumes.1.emptyDir.sizeLimit'),
  },
  {
    rule: 'unix-socket',
    does: 'gives the operator another user',
    at: `${OPERATOR}.securityContext.runAsUser`,
    broken: () => socket().set('operator.securityContext.runAsUser', 65532),
  },
  {
    rule: 'unix-socket',
    does: 'does not mount the socket into the operator',
    at: `${OPERATOR}.volumeMounts`,
    broken: () => socket().remove('operator.volumeMounts'),
  },
  {
    rule: 'proxy-probes',
    does: 'probes a port when there is a socket',
    at: `${PROXY}.startupProbe`,
    broken: () => socket().set('proxy.startupProbe', plain().get('proxy.startupProbe')),
  },
  {
    rule: 'proxy-probes',
    does: 'has no startup probe beside a socket',
    at: `${PROXY}.startupProbe`,
    broken: () => socket().remove('proxy.startupProbe'),
  },
];
