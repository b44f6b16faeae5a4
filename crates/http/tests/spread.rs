//! Connections are spread evenly over the workers, however many there are.

mod support;

use http::Limits;
use support::{Client, Server};

fn assert_even(server: &Server, total: usize) {
    let loads = server.loads();
    let (least, most) = (loads.iter().min(), loads.iter().max());
    assert_eq!(loads.iter().sum::<usize>(), total);
    assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{total}: {loads:?}");
}

#[test]
fn every_worker_has_its_share() {
    test_support::raise_file_limit();
    for workers in [2, 3, 4] {
        let server = Server::start(Limits::default(), workers);
        let mut clients: Vec<Client> = Vec::new();
        for count in [2, 3, 8, 50, 51, 500, 2000] {
            while clients.len() < count {
                clients.push(server.connect());
            }
            server.wait_for_connections(count);
            assert_even(&server, count);
        }
        // All of them are served, wherever they are.
        for client in clients.iter_mut().step_by(7) {
            assert_eq!(client.get("/").status, 200);
        }
        // Places that were left are filled again.
        let kept: Vec<Client> = clients.drain(..).step_by(workers).collect();
        server.wait_for_connections(kept.len());
        clients.extend(kept);
        while clients.len() < 2000 {
            clients.push(server.connect());
        }
        server.wait_for_connections(2000);
        assert_even(&server, 2000);
        drop(clients);
        server.wait_for_connections(0);
        assert!(server.loads().iter().all(|load| *load == 0));
        server.stop();
    }
}
