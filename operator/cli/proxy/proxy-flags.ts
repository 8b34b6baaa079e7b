import { type ProxyFilter, proxyArguments } from '../../access/filter/proxy-filter.ts';

/**
 * The arguments of kubectl for an ambassador on this machine. As in the image of the ambassador, it
 * listens only on loopback, serves no files, and accepts only requests whose host is a name of the
 * loopback interface.
 *
 * @param port - the port to listen on; 0 selects any free port.
 * @param upstream - arguments that choose the API server, such as `--context=NAME`.
 */
export function kubectlProxyFlags(
  filter: ProxyFilter,
  port: number,
  upstream: readonly string[],
): readonly string[] {
  return [
    'proxy',
    ...upstream,
    '--address=127.0.0.1',
    `--port=${port}`,
    '--www=',
    '--disable-filter=false',
    '--accept-hosts=^127[.]0[.]0[.]1$,^localhost$',
    ...proxyArguments(filter),
  ];
}
