//! Connection tags that members hold for the whole group: who holds one stands in the database.

use crate::StoreError;
use crate::shared::store::SharedStore;
use crate::store::boxed;

impl SharedStore {
    /// False: another member holds the tag. This member may claim one again that it holds.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn claim_tag(&self, tag: &[u8; 128]) -> Result<bool, StoreError> {
        let tag = &tag[..];
        boxed(self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            Ok(client.query_opt(&s.claim_tag, &[&tag, &session.member]).await?.is_some())
        }))
        .await
    }

    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn release_tag(&self, tag: &[u8; 128]) -> Result<(), StoreError> {
        let tag = &tag[..];
        boxed(self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            client.execute(&s.release_tag, &[&tag, &session.member]).await.map(|_| ())
        }))
        .await
    }
}
