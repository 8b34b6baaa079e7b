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
    does: 'keeps the socket in a volume on the disk',
    at: `${POD}volumes[socket].emptyDir`,
    broken: () => socket().set('pod.volumes.1.emptyDir', {}),
  },
  {
    rule: 'unix-socket',
    does: 'sets no size limit for the volume of the socket',
    at: `${POD}volumes[socket].emptyDir`,
    broken: () => socket().remove('pod.volumes.1.emptyDir.sizeLimit'),
  },
  {
    rule: 'unix-socket',
    does: 'runs the operator as a user that cannot open the socket',
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
    does: 'probes a port although the ambassador has a socket',
    at: `${PROXY}.startupProbe`,
    broken: () => socket().set('proxy.startupProbe', plain().get('proxy.startupProbe')),
  },
  {
    rule: 'proxy-probes',
    does: 'has no startup probe of an ambassador with a socket',
    at: `${PROXY}.startupProbe`,
    broken: () => socket().remove('proxy.startupProbe'),
  },
];
