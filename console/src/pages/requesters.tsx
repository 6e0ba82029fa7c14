// The list of API requesters.

import { DeployedList } from './deployed/list.tsx';

export default function RequestersPage() {
  return <DeployedList kind="requester" />;
}
