// Connect: what a program needs to reach the queue manager as this user. Addresses, channels, certificate, and lines to copy.
//
// The server writes the lines; none holds a password.

import type { ComponentChildren } from 'preact';
import { Refused } from '../api/request.ts';
import { connectCard } from '../api/server.ts';
import type { PageProps } from '../pages.ts';
import { useAsked } from '../parts/asked.ts';
import { Button } from '../parts/button.tsx';
import { Code } from '../parts/copy.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { t } from '../text.ts';
import { Facts } from './deployed/page.tsx';

export default function ConnectPage({ parameters: { qmgr = '' } }: PageProps) {
  const { answer: card, error, isLoading, again } = useAsked(qmgr, (signal) => connectCard(qmgr, signal));
  const isUnknown = error instanceof Refused && error.status === 404;
  return (
    <div class="connect">
      <header class="page-head">
        <h1>{t('pages.connect')}</h1>
        <p class="quiet">{t('connect.about', { qmgr })}</p>
      </header>
      {isUnknown ? <Empty title={t('connect.none')} /> : error !== undefined && <Failed error={error} again={again} />}
      {!card && isLoading && <Loading />}
      {card && (
        <>
          <Facts
            facts={[
              [t('shell.qmgr'), qmgr],
              [t('connect.host'), <code>{card.host}</code>],
              [t('connect.mqPort'), card.listeners.length === 0 ? undefined : <code>{card.listeners.map(({ port }) => port).join(', ')}</code>],
              [t('connect.httpsPort'), card.httpsPort === null ? undefined : <code>{card.httpsPort}</code>],
              [t('connect.httpPort'), card.httpPort === null ? undefined : <code>{card.httpPort}</code>],
              [t('shell.user'), card.user],
            ]}
          />
          <Part title={t('connect.channels')} about={t('connect.channelsAbout')}>
            {card.channels.length === 0 ? <p class="is-warning">{t('connect.noChannel')}</p> : (
              <table class="plain-table">
                <thead><tr><th scope="col">{t('column.name')}</th><th scope="col">{t('connect.actsAs')}</th><th scope="col">TLS</th></tr></thead>
                <tbody>
                  {card.channels.map(({ name, user, cipherSpec, certificateRequired }) => (
                    <tr key={name}>
                      <th scope="row"><code>{name}</code></th>
                      <td>{user}</td>
                      <td>{cipherSpec ?? t('connect.noTls')}{certificateRequired ? `, ${t('connect.needsCertificate')}` : ''}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Part>
          {card.certificateAuthority !== null && (
            <Part title={t('connect.authority')} about={t('connect.authorityAbout')} action={<Button icon="download" onClick={() => save('ca.crt', 'application/x-pem-file', card.certificateAuthority ?? '')}>{t('connect.saveAs', { file: 'ca.crt' })}</Button>} />
          )}
          <Part title="curl" about={t('connect.curlAbout')}><Code label="curl" text={card.curl} /></Part>
          {card.jms !== null && <Part title="JMS" about={t('connect.jmsAbout')}><Code label="JMS" text={card.jms} /></Part>}
          <Part title="MQSERVER" about={t('connect.mqserverAbout')}>
            {card.mqserver === null ? <p class="quiet">{t('connect.noMqserver')}</p> : <Code label="MQSERVER" text={`export MQSERVER='${card.mqserver}'`} />}
          </Part>
          <Part
            title="CCDT" about={t('connect.ccdtAbout')}
            action={<Button icon="download" onClick={() => save('ccdt.json', 'application/json', `${JSON.stringify(card.ccdt, null, 2)}\n`)}>{t('connect.saveAs', { file: 'ccdt.json' })}</Button>}
          >
            <Code label="CCDT" text={'export MQCCDTURL=file:///path/of/ccdt.json'} />
          </Part>
        </>
      )}
    </div>
  );
}

function Part({ title, about, action, children }: { title: string; about: string; action?: ComponentChildren; children?: ComponentChildren }) {
  const id = `connect-${title.replace(/\W+/g, '-').toLowerCase()}`;
  return (
    <section aria-labelledby={id} class="connect-part">
      <div>
        <h2 id={id}>{title}</h2>
        <p class="quiet">{about}</p>
        {action}
      </div>
      <div>{children}</div>
    </section>
  );
}

/** Gives the browser a file to save. */
function save(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
