//! A queue manager for unit tests that look at one, with a connection of the server's.

use std::sync::Arc;

use model::authority::Principal;
use model::definition::QueueDefinition;
use model::descriptor::MessageDescriptor;
use model::name::{QueueManagerName, QueueName};
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};
use queue_manager::connection::Connection;
use queue_manager::{ConnectOptions, Home, QueueManager, QueueManagers, StartOptions, SystemClock};

pub(crate) struct TestEngine {
    pub(crate) runtime: tokio::runtime::Runtime,
    pub(crate) queue_manager: QueueManager,
    connection: Connection,
}

pub(crate) fn server() -> Principal {
    Principal::administrator("server")
}

impl TestEngine {
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let queue_manager = QueueManager::start(StartOptions {
            name: QueueManagerName::literal("QM1"),
            home: Home::Ephemeral,
            store: Default::default(),
            clock: Arc::new(SystemClock),
            server_user: "server".to_owned(),
        })
        .expect("a queue manager");
        let connection = queue_manager
            .connect(ConnectOptions {
                principal: server(),
                application_name: "test".to_owned(),
                application_type: 6,
                channel: String::new(),
                connection_name: String::new(),
            })
            .expect("connected");
        Self { runtime, queue_manager, connection }
    }

    pub(crate) fn queue_managers(&self) -> QueueManagers {
        QueueManagers::of_running([self.queue_manager.clone()])
    }

    pub(crate) fn define(&self, queue: &str) {
        let definition = QueueDefinition::local(QueueName::literal(queue));
        self.runtime.block_on(self.queue_manager.define_queue(&server(), definition, false)).expect("defined");
    }

    pub(crate) fn put(&self, queue: &str, messages: usize) {
        let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
        let (server, options) = (server(), PutOptions::default());
        for _ in 0..messages {
            let put = self.connection.put1(&server, &object, MessageDescriptor::default(), &options, "x".into());
            self.runtime.block_on(put).expect("put");
        }
    }

    pub(crate) fn get(&self, queue: &str, messages: usize) {
        let object = ObjectDescriptor { name: QueueName::literal(queue), ..ObjectDescriptor::default() };
        self.runtime.block_on(async {
            let opened = self.connection.open(&server(), &object, OpenOptions::INPUT_SHARED).await.expect("opened");
            let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
            for _ in 0..messages {
                self.connection.get(opened.handle, &options).await.expect("a message");
            }
            self.connection.close(opened.handle, Default::default()).await.expect("closed");
        });
    }
}
