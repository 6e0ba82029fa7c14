// Channels and their running instances as the list resources show them. Pure.

export interface ChannelRow {
  name: string;
  type: string;
  /** null: a client connection, which runs elsewhere. */
  state: 'running' | 'stopping' | 'stopped' | 'inactive' | null;
  instances: number | null;
  max: number | null;
  messages: number | null;
  bytesIn: number | null;
  bytesOut: number | null;
  cipher: string | null;
  description: string;
}

export interface InstanceRow {
  channel: string;
  state: string;
  address: string | null;
  user: string | null;
  application: string | null;
  /** Moments are seconds since 1970. */
  since: number | null;
  last: number | null;
  conversations: number | null;
  messages: number | null;
  bytesIn: number | null;
  bytesOut: number | null;
  cipher: string | null;
  protocol: string | null;
  subject: string | null;
  issuer: string | null;
  client: string | null;
  stopping: boolean | null;
  disposition: string | null;
}

export const CHANNEL_COLUMNS = ['name', 'type', 'state', 'instances', 'max', 'messages', 'bytesIn', 'bytesOut', 'cipher', 'description'] as const;

/** CHLTYPE of a type of the list. */
const TYPES: Record<string, string> = {
  serverConnection: 'SVRCONN', clientConnection: 'CLNTCONN', sender: 'SDR', server: 'SVR', receiver: 'RCVR', requester: 'RQSTR', clusterSender: 'CLUSSDR', clusterReceiver: 'CLUSRCVR', amqp: 'AMQP',
};

export function chltype(type: string): string {
  return TYPES[type] ?? 'SVRCONN';
}

/** Whether instances of the channel run here, so that it can be started and stopped. */
export function runs({ state }: ChannelRow): boolean {
  return state !== null;
}
