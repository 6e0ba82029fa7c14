use super::*;

#[test]
fn the_deepest_mount_tells_the_file_system() {
    let mounts = "/dev/vda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/vdb /data xfs rw 0 0\n";
    assert_eq!(file_system(mounts, Path::new("/tmp/x")), "tmpfs");
    assert_eq!(file_system(mounts, Path::new("/data/y")), "xfs");
    assert_eq!(file_system(mounts, Path::new("/srv/z")), "ext4");
}
