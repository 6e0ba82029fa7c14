// The list of APIs.

import { DeployedList } from './deployed/list.tsx';

export default function ApisPage() {
  return <DeployedList kind="api" />;
}
